"""Which boards can be built for and emulated here: packages of some architectures are optional."""

import pytest

from opsmith.board.manifest import Board
from tests.boards import lacks
from tests.conftest import NO_PACKAGES


def require_tools(board: Board) -> None:
    """Skip the test where a program that the board's architecture or emulator needs is absent; the
    end of the run counts such tests.
    """
    if absent := lacks(board):
        pytest.skip(f"{NO_PACKAGES}: no {absent}")
