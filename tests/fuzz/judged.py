"""Trials of code that may print, hang or end its process: each in a process of its own."""

import os
import re
import signal
import sys
import time
from pathlib import Path
from random import Random

from tests.fuzz.trials import Limits, Trial

DEADLINE = 20.0  # seconds for a case: what takes longer hangs
LIMITS = Limits(seconds=2 * DEADLINE, mebibytes=256)  # of the process that waits
BUGS = re.compile(r"Traceback \(most recent|error BLD099|Fatal Python error")


class Failed(Exception):
    """Raised where a case shows a bug of the project."""


def apart(judge: Trial) -> Trial:
    """The trial in a process of its own, which writes what it prints beside the case's folder."""

    def trial(chance: Random, folder: Path) -> str:
        case, said, told = folder / "case", folder / "said.txt", folder / "told.txt"
        case.mkdir()
        child = os.fork()
        if child == 0:
            _judged(judge, chance, case, said, told)
        status = _waited(child)
        text = said.read_text("utf-8", "replace") if said.exists() else ""
        if status is None:
            raise Failed(f"{text}\nno end within {DEADLINE:g} s")
        if status != 0 or not told.exists():
            raise Failed(f"{text}\nthe process ended with {status}")
        good, _, rest = told.read_text("utf-8", "replace").partition("\n")
        if good != "judged":
            raise Failed(rest)
        return rest

    return trial


def look_at(text: str) -> None:
    """Raise where what a command printed is no way to end, or would colour a terminal."""
    bug = BUGS.search(text)
    if bug:
        raise Failed(f"{bug[0]} in:\n{text[-3000:]}")
    hidden = {c for c in text if not (c.isprintable() or c == "\n")}
    if hidden:
        raise Failed(f"prints {sorted(map(ascii, hidden))}:\n{text!r:.3000}")


def _judged(judge: Trial, chance: Random, case: Path, said: Path, told: Path) -> None:
    """Judge the case in the child process, write the verdict, and end."""
    leave = os._exit
    output = os.open(said, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    # Open until this process ends, which is why there is no `with`.
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        verdict = f"judged\n{judge(chance, case)}"
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
