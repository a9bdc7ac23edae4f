"""`opsmith verify-build` and `where`: a firmware again in another place, and where it is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from opsmith.commands import where
from opsmith.errors import ToolchainError
from opsmith.rig import verify_build
from tests.system.project import Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]

FOLDER = "build/mps2_an386-cmsis/tiny"


@pytest.fixture(scope="module")
def built(projects: Path) -> Project:
    """A project with firmware for an Arm board."""
    project = make_project(projects / "verified", ops=("add", "conv_2d"), bare=True)
    project.build("board=mps2_an386", "model=tiny.tflite", "debug=1")
    return project


def test_a_build_in_another_place_is_equal(
    built: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    assert verify_build.main([str(built.root / FOLDER)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines == [f"firmware.{each}: equal" for each in ("bin", "elf", "hex", "map")]


def test_other_sources_are_told_with_their_section(
    built: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    project = built.lent()
    project.append("ops/add/reference.h", "\n")
    assert verify_build.main([str(project.root / FOLDER)]) == 0, "an empty line changes no code"
    project.edit("runtimes/apps/runner/main.cc", "invoke();", "invoke(); OPSMITH_MODEL::invoke();")
    capfd.readouterr()
    assert verify_build.main([str(project.root / FOLDER)]) == 1
    text = capfd.readouterr().out
    assert "firmware.elf: DIFFERS\n  section .text\n" in text
    assert "firmware.bin: DIFFERS" in text


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [(None, "does not say by which variables"), ({"--file": "x"}, "does not say by which")],
)
def test_a_report_that_says_nothing_of_use_is_an_error(
    built: Project, variables: dict[str, str] | None, sentence: str
) -> None:
    project = built.lent()
    path = project.root / FOLDER / "firmware.buildinfo.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"variables": variables}))
    with pytest.raises(ToolchainError, match=f"BLD113.*{sentence}"):
        verify_build.main([str(path.parent)])


def test_where_is_the_folder_of_the_products(
    built: Project, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(built.root)
    assert where.main(["board=mps2_an386", "model=tiny.tflite"]) == 0
    assert capfd.readouterr().out == f"{FOLDER}\n"
    assert where.main(["board=mps2_an386", "model=tiny.tflite", "opt=size"]) == 0
    assert capfd.readouterr().out == f"{FOLDER}+size\n"
    assert where.main(["board=nothing", "model=tiny.tflite"]) == 2
    assert not os.path.exists(f"{FOLDER}+size")
