"""The emitter of a backend: what it is given, and what is wrong with what it returns."""

import shutil
from pathlib import Path

import pytest

from opsmith.cli import main
from opsmith.discover.discover import discover
from opsmith.emit.emitters import Written, run_emitter
from opsmith.errors import Problem
from opsmith.op.examples import example_graphs
from tests.commands import refused
from tests.programs import compiled
from tests.refusals import refusal

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def backend(tmp_path: Path) -> Path:
    """Copy of backend `queue`, which has an emitter, and whose kernel takes the example of ADD."""
    ignored = shutil.ignore_patterns("__pycache__")
    folder = tmp_path / "backends" / "queue"
    shutil.copytree(ROOT / "tests/data/my_backends/queue", folder, ignore=ignored)
    edit(folder / "emitter.py", "from itertools import", "import time\n\nfrom itertools import")
    edit(folder / "add.py", " and a.scale == b.scale == y.scale", "")
    return folder


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def written(backend: Path) -> Written:
    """Output of the emitter for an example of ADD."""
    ops = discover([ROOT / "ops" / "add"], [backend.parent])
    graph = example_graphs(ops["add"])[0]
    return run_emitter(compiled(graph, ops, features={"runtime=queue"}), ops, None)


def problem(backend: Path) -> Problem:
    """Problem that is reported about the backend's emitter."""
    return refusal(written, backend).problems[0]


@pytest.mark.slow
def test_it_writes_the_same_again(backend: Path) -> None:
    first = written(backend)
    assert list(first.files) == ["queue/calls.cc", "queue/calls.h", "queue/jobs.txt"]
    assert list(first.bodies.values()) == ["queue::run(arena, 0);"]
    assert written(backend) == first


@pytest.mark.few(1)
@pytest.mark.slow
@pytest.mark.parametrize("where", ["", "listing.encode() if part.segments else "])
def test_check_calls_it_twice(
    backend: Path, where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also for a program without its nodes."""
    edit(backend / "emitter.py", "listing.encode()", f"{where}time.perf_counter_ns().to_bytes(8)")
    assert main(["check", f"{ROOT}/ops/add", f"--backends={backend.parent}"]) == 2
    said = "error KRN024: emit gives something else when it is called again\n  where: "
    assert f"{said}{backend / 'emitter.py'}\n" in capsys.readouterr().err


@pytest.mark.slow
def test_check_does_not_give_its_nodes_to_the_emitter_of_another_backend(backend: Path) -> None:
    """`check` does not give nodes to a different backend's emitter, such as the GPU's, which wants
    `work=`.
    """
    assert main(["check", f"{ROOT}/ops/add", f"--backends={backend.parent}"]) == 0


@pytest.mark.slow
def test_check_calls_it_for_a_program_without_its_nodes(backend: Path) -> None:
    edit(backend / "emitter.py", "    name = part.", "    assert part.segments\n    name = part.")
    told = refused("check", f"{ROOT}/ops/add", f"--backends={backend.parent}")
    assert "error OPS061: emit of backend 'queue' ended with AssertionError" in told
    assert "part.segments is ()" in told


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new", "told"), [
    ("def emit(", "def omit(", "KRN024: there is no function emit()"),
    ('"jobs.txt": listing', '"job.txt": listing', "KRN024: emit writes no jobs.txt"),
    ('"jobs.txt": listing', '"a.txt": "", "jobs.txt": listing', "KRN024: emit writes 'a.txt',"),
    ("listing.encode()", "listing.split()", "KRN024: jobs.txt is no text, and no bytes"),
    ("len(part.segments)))", "2))", "KRN024: emit gives ('queue::run(arena, 0);', 'queue::"),
    ("{number});", "{number})", "KRN024: 'queue::run(arena, 0)' is no statement on one"),
    ("{number});", "{number});\\n;", "is no statement on one line"),
    ("part.segments)))", 'part.segments))), {"a": float("nan")}', "KRN024: report= is {'a"),
    ("return Emitted(", "return str(", "OPS061: emit of backend 'queue' ended with T"),
    ("    name = part.", "    return 5\n    name = part.", "emit gives 5, not Emitted("),
    ("[plan.placements", "[plan.places", "OPS061: emit of backend 'queue' ended with A"),
    ("def emit", "import nothing\ndef emit", "KRN024: emitter.py does not load"),
])  # fmt: skip
def test_a_mistake_is_reported(backend: Path, old: str, new: str, told: str) -> None:
    edit(backend / "emitter.py", old, new)
    found = problem(backend)
    assert told in f"{found.code}: {found.what}"
    assert found.where.startswith(str(backend / "emitter.py"))


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new", "told"), [
    ('"jobs.txt"', "5", "'emits' holds 5"),
    ('"jobs.txt"', '"../jobs.txt"', "'emits' holds '../jobs.txt'"),
    ('"jobs.txt"', '"add.h"', "'emits' has add.h, which is a file of the backend"),
    ('"jobs.txt"', '"calls.h"', "'emits' has calls.h twice"),
    ('"jobs.txt"', '"add.op.h"', "'emits' has add.op.h, which is a name of generated headers"),
    ("emits =", "# emits =", "there is an emitter.py, and 'emits' does not list what it"),
])  # fmt: skip
def test_a_list_of_files_that_cannot_be_is_reported(
    backend: Path, old: str, new: str, told: str
) -> None:
    edit(backend / "runtime.toml", old, new)
    found = problem(backend)
    assert found.code == "BLD030"
    assert told in found.what


@pytest.mark.slow
@pytest.mark.parametrize("name", ["obj", "library", "kept", "arena"])
def test_a_backend_whose_files_would_lie_among_others_is_reported(backend: Path, name: str) -> None:
    backend.rename(backend.with_name(name))
    found = problem(backend.with_name(name))
    assert found.code == "BLD030"
    assert found.what.startswith(f"what '{name}' emits would lie among other products")


@pytest.mark.slow
def test_files_without_an_emitter_are_reported(backend: Path) -> None:
    (backend / "emitter.py").unlink()
    assert problem(backend).what == "'emits' lists files, and there is no emitter.py beside it"
