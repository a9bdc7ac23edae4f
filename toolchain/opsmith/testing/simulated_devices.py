"""Simulation of the device of a board's runtime in tests, by the runtime's simulator.py."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.home import RUNTIMES
from opsmith.modules import load_function
from opsmith.testing.firmware import BOARDS


def simulated(board: str) -> AbstractContextManager[None]:
    """Context in which the device of the board's runtime, if it has one, is simulated by
    `simulated()` of its simulator.py.
    """
    file = simulator(board)
    if not file.is_file():
        return nullcontext()
    found: AbstractContextManager[None] = load_function(file, "simulated", "OPS002")()
    return found


@cache
def simulator(board: str) -> Path:
    """Path of a module that simulates the device of the board's runtime; it may be missing."""
    return RUNTIMES / load_board(board, BOARDS).runtime / "simulator.py"


def absent_device(board: str) -> str:
    """Reason why a board's runtime cannot run on this machine; empty if it can."""
    file = simulator(board)
    return load_function(file, "absent", "OPS002")() if file.is_file() else ""


def examine(board: str, built: Path) -> None:
    """Fail for mistakes in a program that its device keeps silent about, by `examine()`."""
    if (file := simulator(board)).is_file():
        load_function(file, "examine", "OPS002")(built)


def examine_source(board: str, emitted: Path) -> None:
    """Fail for mistakes in the files that the emitter of the board's runtime wrote to a folder:
    `examine_source()` of the runtime's simulator.py.
    """
    load_function(simulator(board), "examine_source", "OPS002")(emitted)


def played(board: str) -> tuple[str, ...]:
    """Names of the simulated devices: `played()` of the runtime's simulator.py."""
    found: tuple[str, ...] = load_function(simulator(board), "played", "OPS002")()
    return found
