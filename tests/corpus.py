"""Scores files: each is built for this machine and run beside LiteRT, as a user would.

    .venv/bin/python -m tests.corpus FILE|DIR… [--jobs=N] [--seconds=S] [--memory=MIB] [--json=FILE]

prints a line for each file, below folders too, in one of three columns. `exact`: bytes are those of
LiteRT or, where LiteRT cannot run the model, of the numpy models; or they depart from LiteRT's and
the build says why. `refused`: by coded errors, each with a fix; `opsmith` commands that a fix names
succeed. `OTHER`: anything else, such as other bytes, a crash, a traceback, BLD099 or a process that
does not end. The exit status is 1 where that column is not empty.

A folder with a `saved_model.pb`, or of a name like `m.mlpackage`, is one input.
"""

import argparse
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from opsmith.home import HOME
from opsmith.oracle.bounded import Died, bounded
from opsmith.oracle.litert import Reference
from opsmith.testing.inputs import seeded_inputs
from tests.advice import commands

EXACT, REFUSED, OTHER = "exact", "refused", "OTHER"
FOLDERS = (".mlpackage", ".keras")  # that are one model each
SAVED = "saved_model.pb"  # of a folder that is one
INVOKE = 20  # seconds that one inference may take
LITERT = 10.0  # seconds in which LiteRT answers, or does not end either
LONGEST = 160  # characters of a remark
ERROR = re.compile(r"(?ms)^error (\w+): (.*?)\n  where: .*?\n  fix:   ([^\n]*)$")
HANGS, BUG = "RIG008", "BLD099"
OURS = re.compile(r"RIG|BLD01|BLD034|BLD09(?!3)")  # codes of what no file is to blame for


@dataclass(frozen=True)
class Limits:
    """Time and memory that a process may take."""

    seconds: float = 300
    memory: int = 8192  # MiB


@dataclass(frozen=True)
class Ran:
    """End of a process: its exit status and output."""

    status: int | None  # None: it did not within its time
    text: str  # standard output and standard error


@dataclass(frozen=True)
class Score:
    """Outcome of a file: its column, a remark, and the seconds that it took."""

    file: str
    column: str
    remark: str
    seconds: float = 0


def main(arguments: Sequence[str]) -> int:
    """Print the table; 1 where a file is in the third column."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("places", nargs="+", type=Path, metavar="FILE|DIR")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=Limits.seconds, help="for each process")
    parser.add_argument("--memory", type=int, default=Limits.memory, help="MiB for each process")
    parser.add_argument("--json", type=Path, help="file that the scores are stored in")
    options = parser.parse_args(arguments)
    limits, files = Limits(options.seconds, options.memory), inputs(options.places)
    width = max((len(str(file)) for file in files), default=0)
    found = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for each in pool.map(lambda file: scored(file, limits), files):
            found.append(each)
            print(f"{each.file:{width}}  {each.column:7}  {each.seconds:5.1f} s  {each.remark}")
            sys.stdout.flush()
    counts = Counter(each.column for each in found)
    totals = ", ".join(f"{counts[column]} {column}" for column in (EXACT, REFUSED, OTHER))
    print(f"{len(found)} files: {totals}")
    if options.json is not None:
        text = json.dumps([asdict(each) for each in found], indent=1)
        options.json.write_text(f"{text}\n", encoding="utf-8")
    return 1 if counts[OTHER] or not found else 0


def inputs(places: Sequence[Path]) -> list[Path]:
    """Model files below the given places, and folders that are one input each."""
    return list(dict.fromkeys(file for place in places for file in _below(place)))


def _below(place: Path) -> Iterator[Path]:
    whole = place.suffix in FOLDERS or (place / SAVED).is_file()
    if whole or not place.is_dir():
        yield place
        return
    for each in sorted(place.iterdir()):
        if each.name != "__pycache__":
            yield from _below(each)


def scored(file: Path, limits: Limits) -> Score:
    """Score of a file after a build and a run on this machine."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="opsmith-corpus-") as name:
        model, folder = file.resolve(), Path(name)
        if re.search(r"[,$]", str(model)):  # of which a build would make several names, or none
            model = folder / f"model{file.suffix}"
            model.symlink_to(file.resolve())
        outcome = ran(build(model), limits)
        found = judged(str(file), outcome)
        if HANGS in found.remark and not answered(model):
            found = replace(found, column=REFUSED)
        for command in advised(outcome.text, folder) if found.column == REFUSED else ():
            after = ran([sys.executable, "-m", *command], limits)
            if after.status != 0:
                remark = _short(f"its fix fails: {shlex.join(command)}: {after.text}")
                found = replace(found, column=OTHER, remark=remark)
    return replace(found, seconds=round(time.monotonic() - began, 1))


def build(model: Path) -> list[str]:
    """The command that builds the model and runs it beside LiteRT."""
    given = ["board=host", "opt=size", "debug=0", f"timeout={INVOKE}", f"model={model}"]
    return [sys.executable, "-m", "SCons", "-Q", *given, "run"]


def ran(command: Sequence[str], limits: Limits) -> Ran:
    """Run a command and its children in the checkout, within limits of time and memory."""
    limited = f'ulimit -v {limits.memory << 10} && exec "$@"'
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            ["/bin/sh", "-c", limited, "sh", *command],
            cwd=HOME,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(limits.seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        said.seek(0)
        return Ran(status, said.read().decode(errors="replace"))


def judged(file: str, found: Ran) -> Score:
    """The score that follows from how a build ended and what it said."""
    errors = ERROR.findall(found.text)
    lines = found.text.splitlines()
    claims = [line for line in lines if re.match(r"(bit-exact|equal) (with|to) .*: (yes|no)", line)]
    departures = [line.strip() for line in lines if "NOT EXACT" in line]
    if found.status is None:
        return Score(file, OTHER, "does not end")
    if "Traceback" in found.text or BUG in found.text:
        bug = next((what for code, what, _ in errors if code == BUG), "a traceback")
        return Score(file, OTHER, _short(bug))
    if found.status == 0 and claims:
        return Score(file, EXACT, _short(claims[-1]))
    if claims:
        column = EXACT if departures else OTHER
        return Score(file, column, _short("; ".join([claims[-1], *departures])))
    if found.status == 2 and errors:
        told = "; ".join(f"{code} {what}" for code, what, _ in errors)
        good = all(fix.strip() and not OURS.match(code) for code, _, fix in errors)
        return Score(file, REFUSED if good else OTHER, _short(told))
    return Score(file, OTHER, _short(f"status {found.status}: {lines[-1] if lines else 'silent'}"))


def answered(model: Path) -> bool:
    """Whether LiteRT's run of the model ends."""

    def run() -> None:
        reference = Reference(model)
        reference.run(seeded_inputs(reference.inputs, 1)[0])

    try:
        bounded(run, LITERT)
    except (TimeoutError, Died):
        return False
    return True


def advised(text: str, folder: Path) -> list[list[str]]:
    """Commands of the project that fixes name, except those that show a help, with DIR replaced by
    a path below the folder.
    """
    named = (each for _, _, fix in ERROR.findall(text) for each in commands(fix))
    whole = (
        each for each in dict.fromkeys(named) if each.startswith("opsmith ") and "…" not in each
    )
    words = ([str(folder / "made") if w == "DIR" else w for w in shlex.split(e)] for e in whole)
    return [each for each in words if each[-1] != "-h" and "NAME" not in each]


def _short(text: str) -> str:
    """Text shortened to one line."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
