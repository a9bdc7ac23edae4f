"""An option that one field declares is there: variable, flag, help, README and folder."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.commands import said
from tests.system.project import ROOT, Project, make_project

pytestmark = [pytest.mark.system]

VERBOSE = "    verbose: bool = option("
FIELD = """    colour: str = option(
        "the colour of the firmware",
        "grey",
        choices=("grey", "green"),
        naming=by_both,
        converts=True,
    )
"""


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project whose toolchain has one option more."""
    made = make_project(projects / "p", ops=("conv_2d",), bare=True)
    shutil.copy2(ROOT / "boards" / "README.md", made.root / "boards")
    made.edit("toolchain/opsmith/build_options.py", VERBOSE, FIELD + VERBOSE)
    return made


def opsmith(project: Project, *arguments: str) -> str:
    """Standard output of one of the project's own commands."""
    command = [sys.executable, "-m", "opsmith", *arguments]
    env = os.environ | {"PYTHONPATH": str(project.root / "toolchain")}
    return said(command, cwd=project.root, env=env)


def test_scons_reads_it_and_converts_with_it_in_a_folder_of_its_own(project: Project) -> None:
    settings = ("board=host", "model=tiny.tflite", "verbose=1")
    assert "--colour" not in project.build(*settings).text
    told = project.build(*settings, "colour=green").text
    assert "--colour=green" in told
    folders = sorted(path.name for path in Path(project.root, "build/host-reference").glob("tiny*"))
    assert folders == ["tiny", "tiny+colour-green"]


def test_a_bad_value_is_refused(project: Project) -> None:
    outcome = project.scons("board=host", "model=tiny.tflite", "colour=gren")
    assert outcome.status == 2
    assert "error BLD006: colour cannot be 'gren' (did you mean 'green'?)" in outcome.text


def test_it_is_explained_wherever_options_are(project: Project) -> None:
    line = "the colour of the firmware: grey, green (default: grey)"
    assert f"  colour=         {line}\n" in project.build("-h").text
    assert line in " ".join(opsmith(project, "convert", "-h").split())
    opsmith(project, "readme")
    text = (project.root / "toolchain/manual/options.md").read_text(encoding="utf-8")
    assert "| `colour=` | the colour of the firmware: `grey` (default), `green` |\n" in text
