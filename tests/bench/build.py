"""How fast builds and conversions are: `.venv/bin/python -m tests.bench.build` prints a table.

Everything happens in a copy of the project, on two cores. Builds are timed by the clock,
conversions in seconds of the processor, after that of a small model, as the first one checks every
op. `--conversions` leaves out the builds. Exit status 1 where a limit is exceeded.
"""

import argparse
import itertools
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.networks import residual
from tests.system.project import ROOT, Project, convolutions, make_project

MEGABYTE = 1 << 20
CONVERT = ("--boards", "boards", "--board", "mps2_an386", "--runtime", "cmsis", "--name", "big")
# Runs a command and says what it took; getrusage() would count the memory of this process too.
COMMAND = """
import atexit, time
from opsmith.cli import entry
@atexit.register
def _():
    print(time.process_time())
    print(*(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
entry()
"""


@dataclass(frozen=True)
class Row:
    """One measurement and its limit."""

    what: str
    measured: float
    limit: float
    unit: str = "s"


@dataclass(frozen=True)
class Used:
    """Processor time and memory that a command took."""

    seconds: float  # of the processor
    megabytes: float  # the most that was in memory at once


def main(argv: list[str]) -> int:
    """Measure everything and print the table; 0 when every limit holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.build", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--board", default="mps2_an386")
    parser.add_argument("--conversions", action="store_true")
    arguments = parser.parse_args(argv)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    model = _keyword_spotting(arguments.models)
    print(f"{model.name} for {arguments.board}, {len(os.sched_getaffinity(0))} cores\n")
    with tempfile.TemporaryDirectory(prefix="opsmith-bench-") as folder:
        project = make_project(Path(folder) / "project")
        builds = () if arguments.conversions else _builds(project, model, arguments.board)
        rows = []
        for row in itertools.chain(builds, _conversions(project)):
            rows.append(row)
            verdict = "ok" if row.measured <= row.limit else "TOO MUCH"
            line = f"{row.what:48}{row.measured:9.2f} {row.unit:4}limit {row.limit:8.2f}  {verdict}"
            print(line, flush=True)
    return 0 if all(row.measured <= row.limit for row in rows) else 1


def _keyword_spotting(models: Path | None) -> Path:
    """MLPerf Tiny's keyword spotting where there are real models, else the digits."""
    found = sorted(Path(models).rglob("kws_int8.tflite")) if models else []
    return found[0] if found else ROOT / "tests/models/digits_int8.tflite"


def _builds(project: Project, model: Path, board: str) -> Iterator[Row]:
    for name in ("first", "second"):
        shutil.copy(model, project.root / f"{name}.tflite")
    first = (f"board={board}", "model=first.tflite")
    yield Row("cold build", _timed(project, *first), 10)
    second = (f"board={board}", "model=second.tflite")
    yield Row("new model with the same ops", _timed(project, *second), 3)
    kernel = _most_used_kernel(project)
    project.append(kernel, "[[gnu::used]] static int edited = 1;\n")  # a comment would not link
    yield Row(f"edit of {kernel}", _timed(project, *first), 2)
    yield Row("null build", min(_timed(project, *first) for _ in range(3)), 0.7)
    yield from _builds_by_ninja(project, first, kernel)


def _builds_by_ninja(project: Project, arguments: Sequence[str], kernel: str) -> Iterator[Row]:
    project.build(*arguments, "ninja=1")
    (file,) = project.root.glob("build/*/first/build.ninja")
    command = [
        str(Path(sys.executable).with_name("ninja")),
        "-f",
        str(file.relative_to(project.root)),
    ]

    def timed() -> float:
        start = time.perf_counter()
        subprocess.run(command, cwd=project.root, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - start

    timed()  # what the warm process of SCons had read before this build
    yield Row(
        "null build by ninja, median of 20", statistics.median(timed() for _ in range(20)), 0.05
    )
    project.append(kernel, "[[gnu::used]] static int edited_again = 1;\n")
    yield Row(f"edit of {kernel} by ninja", timed(), 2)


def _most_used_kernel(project: Project) -> str:
    """A kernel of the first model: the header that most of its sources include."""
    sources = sorted(project.root.glob("build/*/first/nodes_*.cc"))
    lines = [line for each in sources for line in each.read_text(encoding="utf-8").splitlines()]
    headers = [line.split('"')[1] for line in lines if line.startswith('#include "')]
    kernels = [f"ops/{header}" for header in headers if (project.root / "ops" / header).is_file()]
    return max(sorted(set(kernels)), key=kernels.count)


def _timed(project: Project, *arguments: str) -> float:
    start = time.perf_counter()
    project.build(*arguments)
    return time.perf_counter() - start


def _conversions(project: Project) -> Iterator[Row]:
    _convert(project, residual(4))
    for nodes, limit in (1000, 10.0), (3000, 30.0):
        used, size = _convert(project, residual(nodes))
        yield Row(f"conversion of {nodes} nodes, {size:.0f} MB", used.seconds, limit)
    rates = []
    (project.root / "big.tflite").write_bytes(convolutions(25, channels=2048))
    yield Row("show of 100 MB", _measure(project, "show", "big.tflite").seconds, 3.0)
    for layers, limit in (1, 2.0), (16, 40.0):
        used, size = _convert(project, convolutions(layers, channels=2048))
        rates.append(used.seconds / size)
        yield Row(f"conversion of {size:.0f} MB", used.seconds, limit)
    yield Row(
        f"its peak memory, of 64 MB + 1.5 x {size:.0f}", used.megabytes, 64 + 1.5 * size, "MB"
    )
    yield Row("time per MB at 64 MB, of that at 4 MB", rates[1] / rates[0], 1.2, "x")


def _convert(project: Project, content: bytes) -> tuple[Used, float]:
    """Time and memory that `resolve` and `convert` of a model take together, and its megabytes."""
    (project.root / "big.tflite").write_bytes(content)
    model = ("--model", "big.tflite")
    resolve = _measure(project, "resolve", *model, "--ops", "ops", "--out", "used.json")
    convert = _measure(
        project, "convert", *model, "--used", "used.json", *CONVERT, "--out", "build/big"
    )
    most = max(resolve.megabytes, convert.megabytes)
    return Used(resolve.seconds + convert.seconds, most), len(content) / MEGABYTE


def _measure(project: Project, *command: str) -> Used:
    result = subprocess.run(
        [sys.executable, "-c", COMMAND, *command],
        cwd=project.root,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    *_, seconds, _, kilobytes, _ = result.stdout.split()
    return Used(float(seconds), int(kilobytes) / 1024)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
