"""Where the time of the tests goes: `.venv/bin/python -m tests.bench.suite [PYTEST ARGUMENTS]`.

Runs pytest and prints CPU seconds by kind of program, folder, file and test. Those of a
test are its process's and its children's, which other work on the machine hardly changes. A fixture
counts towards the test that needed it first. Kinds of programs are sampled: shares of the whole.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path

import pytest

from opsmith.testing.warm_scons import scons_seconds
from tests.warm_pytest import seconds_of_pytest

ROOT = Path(__file__).resolve().parents[2]
PERIOD = 0.2  # seconds between two looks at the running processes
PROPERTY = "cpu_seconds"  # of a test's report
# Programs by what they are for; a Python process is known by a word of its command line.
PROGRAMS = {
    "cc1plus": "compile",
    "cc1": "compile",
    "as": "compile",
    "ld": "link",
    "collect2": "link",
    "firmware": "firmware of this machine",
    "pytest": "tests, in Python",
}
COMMANDS = {
    "scons": "SCons",  # forked by scons_server.py, too
    "SCons": "SCons",
    "opsmith": "commands of Opsmith",
}


def main(argv: list[str]) -> int:
    """Run pytest, print the tables, and give back pytest's exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.suite", description=__doc__)
    parser.add_argument("--rows", type=int, default=20, help="of each table (default: 20)")
    arguments, rest = parser.parse_known_args(argv)
    with tempfile.TemporaryDirectory(prefix="opsmith-bench-") as folder:
        record = Path(folder, "record.json")
        command = [sys.executable, "-m", "pytest", "-p", "tests.bench.suite", "-q"]
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen([*command, f"--cpu-record={record}", *rest], cwd=ROOT)
        kinds = _watch(process)
        tests = json.loads(record.read_text()) if record.exists() else {}
    total = _seconds(resource.getrusage(resource.RUSAGE_CHILDREN)) - _seconds(start)
    for table in _tables(tests, kinds, total, arguments.rows):
        print(f"\n{table}")
    return process.returncode


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu-record", type=Path, help="file for the CPU seconds of each test")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Recorder(config.getoption("--cpu-record")), "cpu-recorder")


class _Recorder:
    """Plugin of pytest that measures each test in a worker, and records it in the controller."""

    def __init__(self, record: Path | None) -> None:
        self._record = record
        self._tests: dict[str, float] = {}
        self._start = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        self._start = _used()
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        if call.when == "teardown":
            item.user_properties.append((PROPERTY, _used() - self._start))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = dict(report.user_properties).get(PROPERTY)
        if isinstance(seconds, float):
            self._tests[report.nodeid] = seconds

    def pytest_sessionfinish(self) -> None:
        if self._record is not None and "PYTEST_XDIST_WORKER" not in os.environ:
            self._record.write_text(json.dumps(self._tests))


def _used() -> float:
    """CPU seconds of this process, of its children that have ended, and of what servers ran."""
    return (
        scons_seconds()
        + seconds_of_pytest()
        + sum(
            _seconds(resource.getrusage(who))
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
    )


def _seconds(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime


def _watch(process: subprocess.Popen[bytes]) -> Counter[str]:
    """Sample which kinds of programs run, and count them, until this process ends."""
    seen: Counter[str] = Counter()
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(PERIOD):
            seen.update(_running_below(process.pid))

    thread = threading.Thread(target=look)
    thread.start()
    process.wait()
    ended.set()
    thread.join()
    return seen


def _running_below(root: int) -> Iterator[str]:
    """Kind of each running process that descends from this one."""
    states, children = {}, dict[int, list[int]]()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and (stat := _read(f"{entry.path}/stat")):
            state, parent = stat.rpartition(")")[2].split()[:2]
            states[int(entry.name)] = state
            children.setdefault(int(parent), []).append(int(entry.name))
    below = [root]
    for pid in below:  # which grows meanwhile
        below += children.get(pid, [])
    yield from (_kind(pid) for pid in below if states.get(pid) == "R")


def _kind(pid: int) -> str:
    name = _read(f"/proc/{pid}/comm").strip()
    words = _read(f"/proc/{pid}/cmdline").split("\0")
    if name.startswith("qemu-system"):
        return "emulator"
    if not name.startswith("python"):
        return PROGRAMS.get(name, "other programs")
    found = (kind for word, kind in COMMANDS.items() if any(word in each for each in words[1:4]))
    return next(found, PROGRAMS["pytest"])


def _read(file: str) -> str:
    try:
        return Path(file).read_text(errors="replace")
    except OSError:  # it has ended
        return ""


def _tables(
    tests: Mapping[str, float], kinds: Counter[str], total: float, rows: int
) -> Iterator[str]:
    yield f"{total:.0f} CPU s in {len(tests)} tests"
    looks = sum(kinds.values()) or 1
    shares = {kind: count * total / looks for kind, count in kinds.items()}
    yield _table("kind of program", shares, rows)
    folders = _summed(tests, lambda test: "/".join(test.partition("::")[0].split("/")[:2]))
    folders["(start, collection, end)"] = total - sum(tests.values())
    yield _table("folder", folders, rows)
    yield _table("file", _summed(tests, lambda test: test.partition("::")[0]), rows)
    yield _table("test, all its parameters", _summed(tests, lambda t: t.partition("[")[0]), rows)


def _summed(tests: Mapping[str, float], key: Callable[[str], str]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for test, seconds in tests.items():
        sums[key(test)] = sums.get(key(test), 0.0) + seconds
    return sums


def _table(title: str, seconds: Mapping[str, float], rows: int) -> str:
    largest = sorted(seconds.items(), key=lambda item: -item[1])[:rows]
    return "\n".join([f"    CPU s  {title}", *(f"{value:9.1f}  {name}" for name, value in largest)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
