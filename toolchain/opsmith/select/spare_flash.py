"""Sparing of flash at the cost of time: kernels with smaller weights, which they decode.

Nodes get such kernels where flash is short, in order of the fewest cycles lost per byte, one
after the other until the rest fits; where flash is all that counts, wherever the firmware becomes
smaller. Where flash is wanted rather than needed, what is saved must be worth the time. A kernel
that does not pay for one node alone is tried for several.
"""

import math
from collections.abc import Iterator

from opsmith.ir import Candidate, Offer
from opsmith.select.flash_ledger import Ledger, LedgerUse

LEAST = 64  # bytes that a node must save, as its Params and call may take as many


def spare_flash(
    ledger: Ledger, wanted: float, needed: float = -math.inf, price: float = 0.0
) -> list[Offer]:
    """Give nodes smaller kernels until all kernels take at most `wanted` bytes; once they take at
    most `needed`, while a cycle saves `price` bytes. Returns the exchanges as offers with
    negative bytes and gain.
    """
    made: list[Offer] = []
    waiting: dict[int, Candidate] = {}
    for _, i, candidate in sorted(_smaller(ledger), key=lambda each: each[:2]):
        if ledger.bytes <= wanted:
            break
        waiting[i] = candidate
        lost = sum(_lost(ledger.uses[n], each) for n, each in waiting.items())
        least = max(price * lost, 1) if ledger.bytes <= needed else 1
        if (saved := ledger.exchange(waiting, instances=False, least=least)) >= least:
            names = tuple(ledger.uses[n].node.name for n in waiting)
            made.append(Offer(candidate.name, names, -saved, -lost, bought=True))
            waiting = {}
    return made


def _smaller(ledger: Ledger) -> Iterator[tuple[float, int, Candidate]]:
    """Loss per byte, index and smallest kernel of each node that has a smaller one."""
    for i, use in enumerate(ledger.uses):
        fitting = [each for each in use.choice.candidates if not each.refused]
        found = min(fitting, key=lambda each: (each.growth, each.index))
        saved = use.taken.growth - found.growth
        known = found.figure is not None and use.taken.figure is not None
        if found.growth < 0 and saved >= LEAST and known and not use.taken.preferred:
            yield _lost(use, found) / saved, i, found


def _lost(use: LedgerUse, candidate: Candidate) -> float:
    """Cycles that a node takes more with a candidate's kernel."""
    return use.runs * (candidate.figure or 0) - use.cost
