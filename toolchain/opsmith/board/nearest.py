"""The board that an emulator plays and that comes nearest to one that none plays."""

from collections.abc import Iterable

from opsmith.board.describe import Board


def nearest(board: Board, known: Iterable[Board]) -> Board | None:
    """The emulated board whose core has most of this board's features and no others; among equals
    that with the same core, then with the most RAM. None where there is none.
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
