"""Builds by ninja after random edits, damage and kills, by turns with builds by SCons."""

import os
import random
import shutil
import signal
import time
from pathlib import Path

from tests.stress.checkout import (
    BOARDS,
    KERNELS,
    MODEL,
    NINJA,
    OP,
    Command,
    Ended,
    Undisturbed,
    build,
    difference,
    edit,
    ended,
    products,
    start,
)
from tests.stress.kills import of_the_killed
from tests.stress.outcome import Failure, Tally

EDITS = ("", "model", "op", "kernel", "board")
FILES = (MODEL, OP, *KERNELS, *BOARDS)
KILLS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
WAYS = ("ninja", "ninja", "ninja", "scons", "both", "killed", "killed")
LONGEST = 2.5  # seconds after which a build is killed


def edits(right: Undisturbed, board: str, count: int, seed: int, tally: Tally) -> None:
    """Run N builds after random edits, and compare each with an undisturbed build from cold. Raises
    Failure.
    """
    rng, command = random.Random(f"{seed} {board}"), Command(board)
    root = right.checkout(f"ninja-{board}")
    written = build(root, [*command.arguments, "ninja=1"])
    if written.status != 0:
        raise Failure("build.ninja is not written", seed, root, written.text)
    change = ""
    for number in range(count):
        if rng.random() < 0.7:
            change = rng.choice(EDITS)
        edit(root, change)
        done = [change or "no edit", _dated(rng, root), _damaged(rng, root / command.folder)]
        way = rng.choice(WAYS)
        ending = _built(rng, root, command, way)
        wrong = difference(products(root, command), right.products(command, change))
        if ending.status != 0 or wrong or "Traceback" in ending.text:
            what = f"{wrong or f'exit status {ending.status}'}: {way}, {', '.join(done)}"
            raise Failure(what, f"{seed} {board} {number}", root, ending.text)
        tally.add(f"{board}, {way}", change or "no edit")
    shutil.rmtree(root)


def _dated(rng: random.Random, root: Path) -> str:
    """Perhaps give the files that edits touch another time."""
    if rng.random() < 0.5:
        return "times as they are"
    times = rng.choice((1, 1_600_000_000, int(time.time()), int(time.time()) + 3600))
    for file in FILES:
        os.utime(root / file, (times, times))
    return f"times {times}"


def _damaged(rng: random.Random, folder: Path) -> str:
    """Perhaps remove or damage a file of the folder of products, but for build.ninja, which says
    how to make it again.
    """
    if rng.random() < 0.7:
        return "no damage"
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "build.ninja")
    path = rng.choice(sorted(found))
    content = bytearray(path.read_bytes())
    if not content or rng.random() < 0.4:
        path.unlink()
        return f"{path} removed"
    stat = path.stat()
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return f"{path} damaged"


def _built(rng: random.Random, root: Path, command: Command, way: str) -> Ended:
    """Build in a random way, which may kill the build; the last build always ends by itself."""
    file = ["-f", f"{command.folder}/build.ninja"]
    if way == "scons":
        return build(root, command.arguments)
    if way == "both":
        beside = start(root, command.arguments)
        first = ended(start(root, file, NINJA))
        second = ended(beside)
        return Ended(first.status or second.status, f"{first.text}\n{second.text}")
    if way == "killed":
        process = start(root, file, NINJA, env={"TMPDIR": of_the_killed(root)})
        time.sleep(rng.uniform(0, LONGEST))
        if process.poll() is None:
            number = rng.choice(KILLS)
            os.killpg(process.pid, number)
        ended(process)
    return ended(start(root, file, NINJA))
