"""Damaged files beside a model, which builds read unasked: what `tune` measured, and examples.

python -m tests.fuzz.tunes --count=10000 --seed=1
"""

import sys
from functools import partial
from pathlib import Path
from random import Random

from opsmith.rig.showcase import load_showcase
from opsmith.select.choice import Preferences
from opsmith.select.kernel_sources import edited_problems
from opsmith.select.tuning import Tuning, check_replaceable, read_tuning, unreadable, write_tuning
from tests.fuzz.boards import broken
from tests.fuzz.damage import LIMITS, damaged, misplace, outcome
from tests.fuzz.trials import command
from tests.unit.select.test_tuning import CYCLES, HASH, OTHER, WORK, chosen

SHOWCASE = """\
title = "t"
[input]
examples = "x.npz"
arrays = ["images"]
index = 1
show = "image"
[output]
labels = ["left", "right"]
truth = "truth"
"""
WORDS = (
    b"[t]\n", b"nodes.y = { fast = 1 }\n", b"a.b.", b"[[", b"]]", b'"""', b"'''", b"0x",
    b"1979-05-27",
)  # fmt: skip
TUNED = (
    CYCLES,
    OTHER,
    Tuning("nanoseconds", {f"n{i}": {"fast": i, "reference": 3} for i in range(30)}),
)


def trial(chance: Random, folder: Path) -> str:
    """Outcome of reading the damaged file."""
    if chance.random() < 0.3:
        return _showcase(chance, folder)
    tables = {f"board-{number}": tuning for number, tuning in enumerate(TUNED)}
    text = write_tuning(HASH, tables).encode()
    path = folder / "m.tune.toml"
    path.write_bytes(
        broken(chance, text.decode()) if chance.random() < 0.4 else damaged(chance, text, WORDS)
    )
    misplace(chance, folder, 0.05)
    found = outcome(lambda: _read(path))
    outcome(partial(check_replaceable, path))
    assert all(problem.code == "BLD070" for problem in unreadable(path))
    return found


def _read(path: Path) -> None:
    """Read the damaged file and apply it as a build does."""
    for tuning in read_tuning(path, HASH).values():
        write_tuning(HASH, {"t": tuning})
        [*map(str, edited_problems(tuning, WORK.by_name.values(), frozenset(), str(path)))]
        chosen(Preferences(measured=tuning.nodes, unit=tuning.unit))


def _showcase(chance: Random, folder: Path) -> str:
    path = folder / "m.toml"
    path.write_bytes(
        broken(chance, SHOWCASE)
        if chance.random() < 0.5
        else damaged(chance, SHOWCASE.encode(), WORDS)
    )
    misplace(chance, folder, 0.05)
    return f"examples {outcome(lambda: load_showcase(folder / 'm.tflite'))}"


if __name__ == "__main__":
    sys.exit(command("tunes", trial, LIMITS, sys.argv[1:]))
