"""Programs that read what an emitter writes: their files are compiled in, refusals reported."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.copies import copied
from tests.system.project import ROOT, Project, make_project
from tests.system.test_emitters import sums

pytestmark = [pytest.mark.system, pytest.mark.slow]
TABLES = """\
devices = ["loud", "quiet"]
environment = ["QUEUE_LENGTH"]

[derive."count.h"]
from = "jobs.txt"
command = ["python3", "{folder}/count.py", "{source}", "{target}"]

[derive."copy.txt"]
from = "jobs.txt"
command = ["cp", "{source}", "{target}"]
when = "loud"

[check.three]
from = "jobs.txt"
command = ["python3", "{folder}/count.py", "{source}"]
"""
# Writes how many jobs there are; without a second argument, more than three are a mistake.
COUNT = """\
import sys

source, *target = sys.argv[1:]
jobs = len(open(source).read().split())
if not target and jobs > 3:
    sys.exit(f"ops/add/op.py:1: {jobs} jobs, at most 3")
for path in target:
    with open(path, "w") as file:
        file.write(f"constexpr int job_count = {jobs};\\n")
"""
BOARD = 'title = "{0}"\ncore = "host"\nfamily = "posix"\nruntime = "queue"\ndevices = ["{0}"]\n'


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project with boards of both devices, beside a copy of the backend that has programs."""
    copied(ROOT / "tests/data/my_backends/queue", projects / "mine" / "queue")
    for device in ("loud", "quiet"):
        board = projects / "boards" / device / "board.toml"
        board.parent.mkdir(parents=True)
        board.write_text(BOARD.format(device), encoding="utf-8")
    project = make_project(projects / "p", ops=("add", "mul"))
    (project.root / "sums.tflite").write_bytes(sums())
    return project


@pytest.fixture
def queue(project: Project) -> Iterator[Path]:
    """Folder of backend `queue`, restored for each test."""
    folder = project.root.parent / "mine" / "queue"
    source = ROOT / "tests/data/my_backends/queue"
    manifest = (source / "runtime.toml").read_text("utf-8")
    (folder / "runtime.toml").write_text(manifest + TABLES, encoding="utf-8")
    (folder / "count.py").write_text(COUNT, encoding="utf-8")
    emitter = (source / "emitter.py").read_text("utf-8")
    emitter = emitter.replace('#include "calls.h"', '#include "count.h"\n#include "calls.h"')
    loop = "static_assert(sizeof jobs / sizeof *jobs == job_count);\n  for (int i"
    emitter = emitter.replace("for (int i", loop)
    emitter = emitter.replace("    source =", "    rows += f' // {part.devices}'\n    source =")
    (folder / "emitter.py").write_text(emitter, encoding="utf-8")
    yield folder


def arguments(device: str) -> tuple[str, ...]:
    """Arguments of the build for the board of a device."""
    return ("boards=../boards", "backends=../mine", f"board={device}", "model=sums.tflite")


def products(project: Project, device: str) -> Path:
    """Folder of the backend's products."""
    (found,) = project.root.glob(f"build/{device}-queue*/sums+????????/queue")
    return found


def test_their_files_are_included_and_made_for_the_device_alone(
    project: Project, queue: Path
) -> None:
    """Files of programs are included and made for the device alone, for which alone a program has
    to exist.
    """
    said = project.build(*arguments("loud"), "run", "library").text
    assert "bit-exact with LiteRT: yes" in said
    folder = products(project, "loud")
    assert (folder / "count.h").read_text("utf-8") == "constexpr int job_count = 3;\n"
    assert (folder / "copy.txt").read_bytes() == (folder / "jobs.txt").read_bytes()
    assert "// ('loud',)" in (folder / "calls.cc").read_text("utf-8")
    for name in ("count.h", "copy.txt"):
        packed = folder.parent / "library/src/queue" / name
        assert packed.read_bytes() == (folder / name).read_bytes()
    manifest = queue / "runtime.toml"
    text = manifest.read_text("utf-8").replace('"cp"', '"no-such-copier"')
    manifest.write_text(text, encoding="utf-8")
    project.build(*arguments("quiet"))
    assert not (products(project, "quiet") / "copy.txt").exists()


def test_an_edit_of_a_program_runs_it_again(project: Project, queue: Path) -> None:
    project.build(*arguments("loud"))
    assert "is up to date" in project.build(*arguments("loud")).text
    tool = queue / "count.py"
    tool.write_text(COUNT.replace("constexpr int", "inline constexpr int"), encoding="utf-8")
    outcome = project.build(*arguments("loud"))
    assert outcome.ran("MAKE") == {"count.h", "copy.txt"}
    assert outcome.ran("CC") == {"calls.cc"}
    assert (products(project, "loud") / "count.h").read_text("utf-8").startswith("inline")


def test_what_a_check_refuses_ends_the_build(project: Project, queue: Path) -> None:
    (queue / "count.py").write_text(COUNT.replace("> 3", "> 2"), encoding="utf-8")
    for _ in range(2):
        outcome = project.scons(*arguments("loud"))
        assert outcome.status == 2
        assert "ops/add/op.py:1: 3 jobs, at most 3" in outcome.text
        assert "error BLD034: python3 ended with exit status 1" in outcome.text
        assert "LINK" not in outcome.text


@pytest.mark.parametrize(("old", "new", "told"), [
    ('"cp"', '"true"', "error BLD024: the step that makes it succeeded without making it"),
    ('"{target}"]\nwhen', '"{target}/x"]\nwhen', "error BLD034: cp ended with exit status 1"),
])  # fmt: skip
def test_a_program_that_makes_nothing_is_reported(
    project: Project, queue: Path, old: str, new: str, told: str
) -> None:
    manifest = queue / "runtime.toml"
    text = manifest.read_text("utf-8")
    assert old in text
    manifest.write_text(text.replace(old, new), encoding="utf-8")
    outcome = project.scons(*arguments("loud"))
    assert outcome.status == 2
    assert told in outcome.text


@pytest.mark.parametrize(
    ("command", "probe"),
    [('"no-such"', "command -v no-such"), ('"cp", "/no/such.bc"', "test -f /no/such.bc")],
)
def test_the_package_of_what_is_missing_is_named(
    project: Project, queue: Path, command: str, probe: str
) -> None:
    manifest, packages = queue / "runtime.toml", queue / "optional-packages.txt"
    manifest.write_text(manifest.read_text("utf-8").replace('"cp"', command), "utf-8")
    packages.write_text(f"copiers | {probe}\n", encoding="utf-8")
    outcome = project.scons(*arguments("loud"))
    packages.unlink()
    assert f"error BLD010: {probe.split()[-1]} is not installed" in outcome.text
    assert "fix:   run: sudo apt-get install -y --no-install-recommends copiers" in outcome.text


@pytest.mark.usefixtures("queue")
def test_a_board_without_a_device_of_the_runtime_is_reported(project: Project) -> None:
    outcome = project.scons(*arguments("host"), "runtime=queue")
    assert outcome.status == 2
    assert "error BLD041: runtime 'queue' computes on a device (loud, quiet)" in outcome.text
    assert "the board has none" in outcome.text
