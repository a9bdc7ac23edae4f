"""The emulated board that is most similar to a board without emulation."""

from collections.abc import Iterable

from opsmith.board.describe import Board


def nearest(board: Board, known: Iterable[Board]) -> Board | None:
    """Emulated board whose core has most of the board's features and no others; among equals one
    with its core, then with the most RAM. None if there is none.
    """
    fits = [
        each
        for each in known
        if (each.run.qemu or each.run.place)
        and each.core.architecture.name == board.core.architecture.name
        and each.core.features <= board.core.features
    ]

    def rank(each: Board) -> tuple[int, bool, bool, int, str]:
        same = each.core.name != board.core.name
        ram = each.memory["ram"].size
        return -len(each.core.features), same, not each.run.qemu, -ram, each.name

    return min(fits, key=rank, default=None)
