"""Boards build, and run exactly where QEMU plays them: some by turns, all with --examples=2."""

import random

import pytest

from tests.boards import DIGITS, emulated, microcontrollers, outcome
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.qemu]
SEED, COUNT = 1, 1  # of each kind


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise by COUNT seeded boards that QEMU plays, and COUNT others; by all with
    --examples=2.
    """
    every = metafunc.config.getoption("--examples") > 1
    names: list[str] = []
    for played in (True, False):
        kind = [each.name for each in microcontrollers() if emulated(each) == played]
        names += kind if every else random.Random(SEED).sample(kind, COUNT)
    metafunc.parametrize("name", names)


def test_a_board_builds_and_runs(name: str) -> None:
    board = next(each for each in microcontrollers() if each.name == name)
    require_tools(board)
    assert outcome(board, DIGITS) == ("exact" if emulated(board) else "built")
