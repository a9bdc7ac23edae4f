"""Runs cases of a fuzzer, each in a process of its own with a deadline, and counts outcomes."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.trials import copy

DEADLINE = 20.0  # seconds for a case: what takes longer hangs
# (seed, number, empty folder for the case) -> the outcome. Raises Failed.
Judge = Callable[[int, int, Path], str]
BUGS = re.compile(r"Traceback \(most recent|error BLD099|Fatal Python error")


class Failed(Exception):
    """A case shows a bug of ours."""


@dataclass
class Tally:
    """What became of the cases."""

    outcomes: Counter[str] = field(default_factory=Counter)
    failures: dict[int, str] = field(default_factory=dict)  # number -> what is wrong


def fuzz(judge: Judge, numbers: Sequence[int], seed: int, store: Path | None = None) -> Tally:
    """Judge these cases; those that fail are kept under `store`."""
    tally = Tally()
    for number in numbers:
        with tempfile.TemporaryDirectory(prefix="opsmith-fuzz-") as name:
            outcome, failure = _one(judge, seed, number, Path(name))
            if failure:
                tally.failures[number] = failure
                if store is not None:
                    _keep(Path(name), store / f"seed{seed}-{number}", failure)
            tally.outcomes["FAILED" if failure else outcome] += 1
    return tally


def main(judge: Judge, what: str, arguments: Sequence[str]) -> int:
    """The command line of a fuzzer; 1 where a case fails."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.fuzz.{what}")
    parser.add_argument("--count", type=int, default=1000, help="how many cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    options = parser.parse_args(arguments)
    store, began = Path("build/fuzz") / what, time.monotonic()
    numbers = range(options.first, options.first + options.count)
    tally = fuzz(judge, numbers, options.seed, store)
    for outcome, count in tally.outcomes.most_common():
        print(f"{count:7} {outcome}")
    for number, failure in list(tally.failures.items())[:20]:
        print(f"case {number}: {failure.strip().splitlines()[-1][:200]}")
    seconds = time.monotonic() - began
    print(f"{options.count} cases of seed {options.seed} in {seconds:.0f} s, ", end="")
    print(f"{len(tally.failures)} failures" + (f", kept in {store}" if tally.failures else ""))
    return 1 if tally.failures else 0


def look_at(text: str) -> None:
    """Raise where what a command printed is no way to end, or would colour a terminal."""
    bug = BUGS.search(text)
    if bug:
        raise Failed(f"{bug[0]} in:\n{text[-3000:]}")
    hidden = {c for c in text if not (c.isprintable() or c == "\n")}
    if hidden:
        raise Failed(f"prints {sorted(map(ascii, hidden))}:\n{text!r:.3000}")


def _one(judge: Judge, seed: int, number: int, folder: Path) -> tuple[str, str]:
    """(outcome, failure or "") of one case."""
    case, said, told = folder / "case", folder / "said.txt", folder / "told.txt"
    case.mkdir()
    child = os.fork()
    if child == 0:
        _judged(judge, seed, number, case, said, told)
    status = _waited(child)
    text = said.read_text("utf-8", "replace") if said.exists() else ""
    if status is None:
        return "", f"{text}\nno end within {DEADLINE:g} s"
    if status != 0 or not told.exists():
        return "", f"{text}\nthe process ended with {status}"
    good, _, rest = told.read_text("utf-8", "replace").partition("\n")
    return (rest, "") if good == "judged" else ("", rest)


def _judged(judge: Judge, seed: int, number: int, case: Path, said: Path, told: Path) -> None:
    """In the child: judge, write the verdict, end."""
    leave = os._exit
    output = os.open(said, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    # Open until this process ends, which is why there is no `with`.
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        verdict = f"judged\n{judge(seed, number, case)}"
    except BaseException as error:
        verdict = f"failed\n{type(error).__name__}: {error}"
    told.write_text(verdict, encoding="utf-8", errors="backslashreplace")
    leave(0)


def _waited(child: int) -> int | None:
    """The exit status of the child; None after killing it at the deadline."""
    end, pause = time.monotonic() + DEADLINE, 0.001
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(pause * 1.3, 0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _keep(folder: Path, place: Path, failure: str) -> None:
    copy(folder, place)
    (place / "failure.txt").write_text(failure, encoding="utf-8", errors="backslashreplace")
