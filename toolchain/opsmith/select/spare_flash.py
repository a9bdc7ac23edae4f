"""Spare flash at the cost of time: kernels with smaller weights than others, which they decode.

Nodes get them where flash is short, those first that lose the fewest instructions for each byte,
and one after the other until the rest fits; where flash is all that counts, wherever the firmware
is smaller so. A kernel that one node alone does not pay for is tried for several.
"""

from collections.abc import Iterator

from opsmith.ir import Candidate, Offer
from opsmith.select.flash_ledger import Ledger

LEAST = 64  # bytes that a node must save: its Params and its call may take as many


def spare_flash(ledger: Ledger, most: float) -> list[Offer]:
    """Give nodes smaller kernels until these take at most `most` bytes; the exchanges, as offers
    of which bytes and gain are below zero.
    """
    made: list[Offer] = []
    waiting: dict[int, Candidate] = {}
    for _, i, candidate in sorted(_smaller(ledger), key=lambda each: each[:2]):
        if ledger.bytes <= most:
            break
        waiting[i] = candidate
        before = {n: ledger.uses[n].cost for n in waiting}
        if (saved := ledger.exchange(waiting, instances=False)) > 0:
            lost = sum(ledger.uses[n].cost - cost for n, cost in before.items())
            names = tuple(ledger.uses[n].node.name for n in waiting)
            made.append(Offer(candidate.name, names, -saved, -lost, bought=True))
            waiting = {}
    return made


def _smaller(ledger: Ledger) -> Iterator[tuple[float, int, Candidate]]:
    """The smallest kernel of each node that has a smaller one, and its loss for each byte."""
    for i, use in enumerate(ledger.uses):
        fitting = [each for each in use.choice.candidates if not each.refused]
        found = min(fitting, key=lambda each: (each.growth, each.index))
        saved = use.taken.growth - found.growth
        known = found.figure is not None and use.taken.figure is not None
        if found.growth < 0 and saved >= LEAST and known and not use.taken.preferred:
            yield (use.runs * (found.figure or 0) - use.cost) / saved, i, found
