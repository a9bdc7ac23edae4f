"""Cost of the notebook's rule: `.venv/bin/python -m tests.bench.rules --models=DIR` prints a table.

Profiles every model below DIR in QEMU by the reference's rule and by `numerics=notebook`: executed
instructions of one invoke(), modelled cycles where the board has them, and flash. Exit status 1
where the notebook's needs more than 2 % more, or 1 % more flash; 2 where nothing was measured.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from opsmith.testing.firmware import products, scons
from opsmith.text import escaped
from tests.bench.measured import FIGURES, first_error, named_models
from tests.bench.peers import Unusable

BOARDS = ("microbit", "mps2_an385", "mps2_an386", "mps2_an500", "mps3_an547", "qemu_riscv32")
RULES = ("reference", "notebook")
MOST_TIME, MOST_FLASH = 1.02, 1.01  # the notebook's, by the reference's
HEAD = f"{'model':24}{'board':14}{'reference':>14}{'notebook':>14}{'':>8}{'flash':>10}{'':>8}"


@dataclass(frozen=True)
class Cost:
    """Of one firmware."""

    time: int  # modelled cycles; executed instructions where the board has none
    flash: int  # bytes


def main(argv: Sequence[str]) -> int:
    """Profile everything and print the table; 0 when the notebook's rule costs little."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.rules", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--only", action="append", metavar="NAME", help="these models alone")
    parser.add_argument("--board", action="append", help="default: " + ", ".join(BOARDS))
    parser.add_argument("--runtime", default="cmsis")
    arguments = parser.parse_args(argv)
    if arguments.models is None:
        parser.error("give --models=DIR or set OPSMITH_MODELS")
    try:
        models = named_models(Path(arguments.models), arguments.only)
    except Unusable as error:
        parser.error(str(error))
    print(HEAD)
    measured = dear = 0
    for (name, file), board in product(models.items(), arguments.board or BOARDS):
        found = [_cost(file, board, arguments.runtime, rule) for rule in RULES]
        errors = [each for each in found if isinstance(each, str)]
        costs = [each for each in found if isinstance(each, Cost)]
        print(f"{escaped(name):24}{board:14}", end="")
        if errors:
            print(f"  {errors[0]}", flush=True)
            continue
        measured += 1
        line, is_dear = compared(*costs)
        dear += is_dear
        print(line, flush=True)
    print(f"\n{measured} firmwares, of which {dear} cost more than the limits")
    return 1 if dear else 0 if measured else 2


def compared(reference: Cost, notebook: Cost) -> tuple[str, bool]:
    """A line's figures, and whether the notebook's are beyond the limits."""
    time, flash = notebook.time / reference.time, notebook.flash / reference.flash
    dear = time > MOST_TIME or flash > MOST_FLASH
    line = f"{reference.time:14,}{notebook.time:14,}{time - 1:+8.1%}"
    return f"{line}{notebook.flash:10,}{flash - 1:+8.1%}{'  <' if dear else ''}", dear


def _cost(file: Path, board: str, runtime: str, rule: str) -> Cost | str:
    """Time and flash of a firmware by a rule, or the error of its build."""
    command = [f"board={board}", f"model={file}", f"runtime={runtime}", f"numerics={rule}"]
    done = scons(*command, "profile")
    if done.returncode:
        return first_error(done.stdout + done.stderr)
    folder = products(*command)
    profile = json.loads((folder / "profile.json").read_text(encoding="utf-8"))
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    times = [profile[name] for name in reversed(FIGURES) if name in profile]
    return Cost(int(times[0]), int(report["memory"]["flash"]["used"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
