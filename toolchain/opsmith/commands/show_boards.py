"""Boards that a model fits, by the estimated size of its firmware."""

from collections.abc import Iterator, Sequence
from typing import Any

from opsmith.board.manifest import Board
from opsmith.commands.show_estimates import Estimate, Estimates, target_of
from opsmith.conversion import DATA, RAM

FITS, TIGHT, TOO_SMALL, UNKNOWN = "fits", "tight", "too small", "not estimated"


def fits(found: Estimates, boards: Sequence[Board]) -> list[dict[str, Any]]:
    """Rows of boards that run firmware, and whether it fits: yes, within the error, or no."""
    return [_fit(board, found) for board in boards if not board.core.hosted]


def _fit(board: Board, estimates: Estimates) -> dict[str, Any]:
    row = {"board": board.name, "title": board.title, "core": board.core.name}
    if (found := estimates.of(board)) is None:
        why = estimates.refused.get(target_of(board), estimates.why_not)
        return {**row, "fit": UNKNOWN, "why": [why]}
    short = list(_short(board, found))
    worst = TOO_SMALL if any(sure for sure, _ in short) else TIGHT if short else FITS
    return {**row, "fit": worst, "why": [why for _, why in short]}


def _short(board: Board, found: Estimate) -> Iterator[tuple[bool, str]]:
    """Memories that may be too small for the firmware: whether that is certain, and a sentence."""
    needed = {
        "flash": (found.flash, found.flash_error[1]),
        RAM: (found.arena + DATA + board.stack_bytes, found.ram_error[1]),
    }
    for name, (need, error) in needed.items():
        if (memory := board.memory.get(name)) is None:
            continue
        if need * (100 + error) > memory.size * 100:
            sure = need * (100 - error) > memory.size * 100
            yield sure, f"{name}: {need:,} of {memory.size:,} bytes"
