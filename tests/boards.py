"""Builds models for every board, and runs them where an emulator plays the board.

python -m tests.boards                        # the digit reader, for all boards
python -m tests.boards --model kws.tflite     # a model of one's own
python -m tests.boards nucleo_f446re netduino2
"""

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from opsmith.board.architecture import OPTIONAL
from opsmith.board.describe import Board
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import scons
from tests.turns import shipped

DIGITS = ROOT / "tests" / "models" / "digits_int8.tflite"
EXACT = "bit-exact with LiteRT: yes"


def microcontrollers() -> tuple[Board, ...]:
    """The shipped boards whose firmware is no process of an operating system."""
    return tuple(each for each in shipped() if not each.core.hosted)


def emulated(board: Board) -> bool:
    """Whether an emulator plays the board."""
    return bool(board.emulator or board.run.place)


def lacks(board: Board) -> str:
    """The program that an optional architecture needs and that is absent, if any."""
    architecture = board.core.architecture
    if board.run.place == "rp2040js":
        missing = shutil.which("node") is None or not Path(sys.prefix, "node_modules").is_dir()
        return "rp2040js" if missing else ""
    if not (architecture.folder / OPTIONAL).is_file():
        return ""
    compiler, emulator = f"{architecture.tools}gcc", architecture.emulator
    if shutil.which(compiler) is None:
        return compiler
    return emulator.program if emulator and emulator.find() is None else ""


def outcome(board: Board, model: Path) -> str:
    """How building, and where it is emulated running, ends: "built", "exact" or the error."""
    runs = ["run"] if emulated(board) else []
    done = scons(f"board={board.name}", f"model={model}", *runs)
    text = done.stdout + done.stderr
    if done.returncode != 0:
        errors = (line for line in text.splitlines() if line.startswith("error "))
        return next(errors, f"exit {done.returncode}\n{text[-2000:]}")
    if not runs:
        return "built"
    return "exact" if EXACT in text else f"not exact\n{text[-2000:]}"


def main(arguments: Sequence[str]) -> int:
    """Print a line for each board; 1 where one of them is neither built nor exact."""
    parser = argparse.ArgumentParser(prog="python -m tests.boards", description=__doc__)
    parser.add_argument("--model", type=Path, default=DIGITS)
    parser.add_argument("boards", nargs="*", metavar="BOARD")
    chosen = parser.parse_args(arguments)
    wrong = 0
    for board in microcontrollers():
        if chosen.boards and board.name not in chosen.boards:
            continue
        absent = lacks(board)
        found = f"skipped: no {absent}" if absent else outcome(board, chosen.model)
        wrong += not (absent or found in ("built", "exact"))
        print(f"{board.name:18}{found}", flush=True)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
