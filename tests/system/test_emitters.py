"""A backend from outside that writes the calls of its own kernels: built, run, exact, followed."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from opsmith.tflite.writer import ModelWriter
from tests.system.backend_project import BACKENDS, edited, project_of_sums
from tests.system.project import Project

pytestmark = [pytest.mark.system, pytest.mark.slow]
SUMS = ("model=sums.tflite", "runtime=queue", BACKENDS)


def sums() -> bytes:
    """Model of two sums that the backend computes, a product that it does not, and a third sum.

    One input has the backend's name.
    """
    m = ModelWriter()
    a, b = m.input("queue", (1, 40), "int8", 0.05, -3), m.input("b", (1, 40), "int8", 0.05, 7)
    one, two, three, y = (m.tensor(n, (1, 40), "int8", 0.05, 4) for n in ("one", "two", "p", "y"))
    m.node("ADD", [a, b], [one], version=2)
    m.node("ADD", [one, b], [two], version=2)
    m.node("MUL", [one, two], [three], version=2)
    m.node("ADD", [three, two], [y], version=2)
    m.output(y)
    return m.bytes()


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project with a model of sums, beside the backends, in which all tests build."""
    return project_of_sums(projects, sums())


@pytest.fixture
def queue(project: Project) -> Iterator[Path]:
    """Folder of backend `queue`, for a test to edit."""
    yield from edited(project, "queue")


def products(project: Project, board: str, option: str = "") -> Path:
    """Folder of the only firmware for a board whose folder is named after the option."""
    (found,) = project.root.glob(f"build/{board}-queue*/sums+{option}????????")
    return found


def nodes(folder: Path) -> list[dict[str, Any]]:
    """Nodes in the firmware's report."""
    found: list[dict[str, Any]] = json.loads((folder / "report.json").read_text("utf-8"))["nodes"]
    return found


@pytest.mark.first(1)  # the backend's own tests run firmware on emulated boards
@pytest.mark.parametrize("board", ["host", pytest.param("mps2_an385", marks=pytest.mark.qemu)])
def test_its_nodes_are_computed_by_what_it_writes(project: Project, board: str) -> None:
    targets = ["run", "crosscheck", *["profile"] * (board != "host")]
    said = project.build(f"board={board}", *SUMS, *targets).text
    assert "bit-exact with LiteRT: yes" in said
    folder = products(project, board)
    assert [node["kernel"] for node in nodes(folder)] == [
        "queued",
        "queued",
        nodes(folder)[2]["kernel"],
        "queued",
    ]
    calls = (folder / "model.cc").read_text("utf-8")
    assert "queue::run(arena, 0);" in calls
    assert "queue::run(arena, 1);" in calls
    assert "queue::run(arena, 2);" not in calls  # two sums are one segment
    assert (folder / "queue" / "jobs.txt").read_text("utf-8").split() == ["one", "two", "y"]
    apart = next(project.root.glob(f"build/{board}-queue*/*+crosscheck")) / "model.cc"
    assert "queue::run(arena, 2);" in apart.read_text("utf-8")


def test_a_debug_build_looks_at_each_of_its_nodes(project: Project) -> None:
    said = project.build("board=host", *SUMS, "guards=1", "run").text
    assert "bit-exact with LiteRT: yes" in said
    assert "queue::run(arena, 2);" in (products(project, "host", "guards+") / "model.cc").read_text(
        "utf-8"
    )


def test_other_runtimes_leave_its_kernels_alone(project: Project) -> None:
    project.build("board=host", "model=sums.tflite", "runtime=reference", BACKENDS)
    (folder,) = project.root.glob("build/host-reference*/sums*")
    assert "queued" not in {each["kernel"] for each in nodes(folder)[0]["candidates"]}
    assert not (folder / "queue").exists()


def test_edits_of_the_emitter_are_followed(project: Project, queue: Path) -> None:
    model = ("board=host", *SUMS)
    project.build(*model, "run", "library")
    assert "is up to date" in project.build(*model).text
    folder = products(project, "host")
    package = folder / "library"
    assert (package / "src/queue/jobs.txt").read_bytes() == (folder / "queue/jobs.txt").read_bytes()
    assert "src/queue/calls.cc" in (package / "README.md").read_text("utf-8")
    emitter = queue / "emitter.py"
    text = emitter.read_text("utf-8")
    rows = emitter.with_name("rows.cl")
    rows.write_text("before")
    read = "f\"{part.folder} {open(__file__[:-10] + 'rows.cl').read()}\\n\".encode()"
    edited = text.replace("a row each", "edited").replace("listing.encode()", read)
    emitter.write_text(edited, encoding="utf-8")
    outcome = project.build(*model)
    assert outcome.ran("CONVERT")
    assert outcome.ran("CC") == {"calls.cc"}
    rows.write_text("edited")
    project.build(*model)
    assert (folder / "queue" / "jobs.txt").read_text("utf-8").endswith("queue edited\n")
    emitter.write_text(text.replace("def emit(", "def omit("), encoding="utf-8")
    outcome = project.scons(*model)
    assert outcome.status == 2
    assert "error KRN024: there is no function emit()" in outcome.text


def test_an_application_may_have_files_of_the_same_names(project: Project) -> None:
    shutil.copytree(project.root / "runtimes" / "apps" / "runner", project.root / "queue")
    (project.root / "queue" / "calls.cc").write_text("")
    said = project.build("board=host", *SUMS, "app=queue", "timeout=1", "run").text
    assert "$opsmith 2 0 " in said


def test_a_program_without_its_nodes_has_its_files(project: Project) -> None:
    said = project.build("board=host", "model=tiny.tflite", "runtime=queue", BACKENDS, "run").text
    assert "bit-exact with LiteRT: yes" in said
    (folder,) = project.root.glob("build/host-queue*/tiny*")
    assert (folder / "queue" / "jobs.txt").read_bytes() == b""
