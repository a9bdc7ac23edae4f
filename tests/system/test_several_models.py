"""Several models in one firmware: what they share, and that each computes what it does alone."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from opsmith.errors import ToolchainError
from opsmith.rig.console import main as console_main
from opsmith.tflite.writer import ModelWriter
from tests.commands import said
from tests.system.applications import answers, in_cpp
from tests.system.project import Project, convolutions, make_project

pytestmark = [pytest.mark.system]
# One model after the other, and the first once more.
MAIN = in_cpp((("tiny", "y1"), ("other", "y2"), ("tiny", "y1")), '"{}.h"')
BOTH = ("model=tiny.tflite,other.tflite", "app=mine")


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project with an application and two models, which differ by a weight and a layer."""
    project = make_project(projects / "p", ops=("add", "conv_2d"))
    (project.root / "other.tflite").write_bytes(convolutions(3, changed=1))
    (project.root / "mine").mkdir()
    (project.root / "mine" / "main.cc").write_text(MAIN, encoding="utf-8")
    return project


def built(project: Project, *arguments: str, board: str = "host") -> Path:
    """Folder of the products of both models."""
    said = project.build(f"board={board}", *BOTH, *arguments, "debug=0").text
    (firmware,) = re.findall(r"^(\S+/firmware\.elf) (?:for|is up to date)", said, re.MULTILINE)
    return project.root / Path(firmware).parent


def report(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "report.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("arena", ["own", "shared"])
def test_each_computes_what_it_does_alone(project: Project, arena: str) -> None:
    folder = built(project, f"arena={arena}", "opt=size")
    told = said([folder / "firmware.elf"])
    models = [(project.root / f"{name}.tflite").read_bytes() for name in ("tiny", "other", "tiny")]
    assert told.split() == answers(*models)
    assert (folder / "plan.tiny.svg").is_file()
    assert (folder / "plan.other.svg").is_file()
    found = report(folder)
    assert [model["name"] for model in found["models"]] == ["tiny", "other"]
    assert found["arena"].keys() == ({"ram"} if arena == "shared" else set())


def test_run_shows_what_the_application_says_and_no_other(project: Project) -> None:
    folder = built(project, "opt=size")
    told = said([folder / "firmware.elf"])
    outcome = project.scons("board=host", *BOTH, "opt=size", "debug=0", "run")
    assert outcome.status == 0
    assert told in outcome.text
    assert "it ended with status 0" in outcome.text
    console = [f"--build={folder}", "--board=host", f"--boards={project.root / 'boards'}"]
    for models, told in (
        (("tiny",), "it was built from 2 models, not 1"),
        (("other", "tiny"), "it was built from another content of other.tflite"),
    ):
        given = [f"--model={project.root / name}.tflite" for name in models]
        with pytest.raises(ToolchainError, match="RIG002") as error:
            console_main([*console, *given])
        assert told.replace("other.tflite", str(project.root / "other.tflite")) in str(error.value)


@pytest.mark.first(1)
@pytest.mark.parametrize("board", ["host", "mps2_an386"])
def test_instances_constants_and_arena_are_there_once(project: Project, board: str) -> None:
    own, shared = (
        built(project, f"arena={arena}", "opt=size", board=board) for arena in ("own", "shared")
    )
    nodes = (own / "nodes.h").read_text(encoding="utf-8")
    assert nodes.count("void conv_2d_") == 1  # a general form, for five layers
    # filters of two and of three layers, the second of which are equal
    assert nodes.count("_filter[") + nodes.count("_filter_2[") == 4
    sizes = [sum(model["arena"]["ram"]["bytes"] for model in report(own)["models"])]
    sizes += [report(shared)["arena"]["ram"]["bytes"]]
    assert sizes[0] == 2 * sizes[1]
    used = [report(folder)["memory"]["ram"]["used"] for folder in (own, shared)]
    assert used[0] - used[1] == sizes[0] - sizes[1]


def test_a_model_that_keeps_something_cannot_share_its_arena(project: Project) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 4), "int8", 0.5, 0)
    kept = m.tensor("kept", (1, 4), "int8", 0.5, 0, variable=True)
    y = m.tensor("y", (1, 4), "int8", 0.5, 0)
    m.node("ADD", [x, kept], [y], {"fused_activation_function": "NONE"}, version=2)
    m.output(y)
    (project.root / "keeps.tflite").write_bytes(m.bytes())
    arguments = ("board=host", "model=tiny.tflite,keeps.tflite", "app=mine", "arena=shared")
    outcome = project.scons(*arguments)
    assert outcome.status == 2
    assert "error BLD043: keeps keeps 'kept' in its arena between calls" in outcome.text


@pytest.mark.parametrize(("arguments", "error"), [
    (("model=tiny.tflite,./tiny.tflite",), "error BLD042: tiny.tflite and ./tiny.tflite are"),
    (("model=tiny.tflite,string.tflite",), "error BLD042: string.h would be found instead"),
    (("model=tiny.tflite,",), "error BLD006: model= has a comma without a file"),
    (("model=tiny.tflite,tiny.tflite",), "error BLD042: tiny.tflite is named twice"),
    (("model=tiny.tflite,tny.tflite",), "error BLD003: model=tny.tflite does not exist (did"),
    ((BOTH[0], "crosscheck"), "error BLD006: crosscheck takes one model"),
    ((BOTH[0], "library", "run"), "error BLD006: app=runner runs one model"),
    ((BOTH[0], "guards=1"), "error BLD006: guards= is about one model"),
    ((BOTH[0],), "error BLD006: app=runner runs one model"),
    (("model=tiny.tflite", "arena=shared"), "error BLD006: one model has no other to share"),
])  # fmt: skip
def test_what_cannot_be_is_an_error(
    project: Project, arguments: tuple[str, ...], error: str
) -> None:
    outcome = project.scons("board=host", *arguments, *(() if "runner" in error else ("app=mine",)))
    assert (outcome.status, error in outcome.text) == (2, True), outcome.text


def test_only_what_an_edit_changes_is_made_again(project: Project) -> None:
    project.build("board=host", *BOTH, "opt=size", "debug=0")
    assert "is up to date" in project.build("board=host", *BOTH, "opt=size", "debug=0").text
    (project.root / "other.tflite").write_bytes(convolutions(3, changed=2))
    outcome = project.build("board=host", *BOTH, "opt=size", "debug=0")
    assert outcome.ran("RESOLVE") == {"other.tflite"}
    assert "tiny.cc" not in outcome.ran("CC")
    (project.root / "other.tflite").write_bytes(convolutions(3, changed=1))
