"""Runs one trial after another: a table of what came out, and failures that can be repeated."""

import argparse
import contextlib
import random
import re
import resource
import shutil
import signal
import stat
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

Trial = Callable[[random.Random, Path], str]  # in an empty folder; returns what came out
_MOST_WRITTEN = 256 << 20  # bytes of a file that a trial writes
_MOST_KEPT = 64 << 20  # bytes of a file
BUILD = Path(__file__).resolve().parents[2] / "build" / "fuzz"


class Hang(BaseException):
    """Raised where a trial takes too long; no `except Exception` may swallow it."""


@dataclass(frozen=True)
class Limits:
    """Time and memory that one trial may take."""

    seconds: float = 10.0
    mebibytes: int = 64


@dataclass
class Result:
    """Counts of trials by outcome, failures (number and text), and most time and memory of one."""

    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)
    slowest: float = 0.0
    mebibytes: int = 0  # that one of them took


def run_trials(
    name: str,
    trial: Trial,
    numbers: Sequence[int],
    seed: int,
    limits: Limits,
    keep: Path | None = None,
) -> Result:
    """Result of the given trials; folders of failed trials are kept below `keep`."""
    result = Result()
    with tempfile.TemporaryDirectory() as scratch:
        for number in numbers:
            folder = Path(scratch) / "trial"
            folder.mkdir()
            try:
                outcome = _limited(trial, _random(name, seed, number), folder, limits, result)
            except (Exception, Hang):
                outcome = "FAILED"
                result.failures.append((number, traceback.format_exc()))
                if keep:
                    _keep(folder, keep / f"{name}-{seed}-{number}", result.failures[-1][1])
            result.outcomes[outcome] += 1
            shutil.rmtree(folder, ignore_errors=True)
    return result


def command(name: str, trial: Trial, limits: Limits, argv: Sequence[str], again: str = "") -> int:
    """Run the command line of a fuzzer; 1 when a trial failed, which `again` repeats."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.fuzz.{name}")
    parser.add_argument("--count", type=int, default=1000, help="how many trials")
    parser.add_argument("--seed", type=int, default=0, help="other trials")
    parser.add_argument("--only", type=int, help="repeat the trial of this number")
    options = parser.parse_args(argv)
    numbers = range(options.count) if options.only is None else [options.only]
    begin = time.monotonic()
    result = run_trials(name, trial, numbers, options.seed, limits, BUILD)
    for outcome, count in sorted(result.outcomes.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:8,}  {outcome}")
    print(
        f"{len(numbers):,} trials in {time.monotonic() - begin:.0f} s, the slowest "
        f"{result.slowest:.2f} s, the largest {result.mebibytes} MiB"
    )
    for number, text in result.failures[:5]:
        print(f"\ntrial {number}: python -m tests.fuzz.{name} --seed={options.seed} ", end="")
        print(f"--only={number} {again}\n{text}")
    print(f"{len(result.failures)} failures" + (f", in {BUILD}" if result.failures else ""))
    return 1 if result.failures else 0


def _random(name: str, seed: int, number: int) -> random.Random:
    return random.Random(f"{name}/{seed}/{number}")


def _limited(
    trial: Trial, chance: random.Random, folder: Path, limits: Limits, result: Result
) -> str:
    """Outcome of a trial; raises when the trial takes too long or too much memory."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_WRITTEN, limit[1]))
    before, begin = _resident(), time.monotonic()
    earlier = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, limits.seconds)
    try:
        outcome = trial(chance, folder)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    grown = _peak() - before
    result.slowest = max(result.slowest, time.monotonic() - begin)
    result.mebibytes = max(result.mebibytes, grown)
    if grown > limits.mebibytes:
        raise MemoryError(f"it took {grown} MiB")
    return outcome


def _ring(_: int, __: FrameType | None) -> None:
    raise Hang


def _resident() -> int:
    """Mebibytes in use; from here on a new peak is looked for."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> int:
    """The most mebibytes in use since the last _resident()."""
    return _status("VmHWM")


def _status(key: str) -> int:
    found = re.search(rf"^{key}:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found, "Linux has it"
    return int(found[1]) >> 10


def copy(folder: Path, target: Path) -> None:
    """Copy the folder of a case, except special files such as pipes, and files with holes."""
    shutil.rmtree(target, ignore_errors=True)
    with contextlib.suppress(OSError, shutil.Error):
        shutil.copytree(folder, target, symlinks=True, ignore=_left)
    target.mkdir(parents=True, exist_ok=True)


def _left(folder: str, names: list[str]) -> list[str]:
    stats = ((name, Path(folder, name).lstat()) for name in names)
    kinds = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)
    return [
        name
        for name, found in stats
        if stat.S_IFMT(found.st_mode) not in kinds or found.st_size > _MOST_KEPT
    ]


def _keep(folder: Path, target: Path, text: str) -> None:
    copy(folder, target)
    (target / "traceback.txt").write_text(text, encoding="utf-8", errors="backslashreplace")
