"""Sparing of flash at the cost of time: kernels with smaller weights, which they decode.

Nodes get such kernels where flash is short, in order of the fewest instructions lost per byte, one
after the other until the rest fits; where flash is all that counts, wherever the firmware becomes
smaller. A kernel that does not pay for one node alone is tried for several.
"""

from collections.abc import Iterator

from opsmith.ir import Candidate, Offer
from opsmith.select.flash_ledger import Ledger

LEAST = 64  # bytes that a node must save, as its Params and call may take as many


def spare_flash(ledger: Ledger, most: float) -> list[Offer]:
    """Give nodes smaller kernels until all kernels take at most `most` bytes. Returns the exchanges
    as offers with negative bytes and gain.
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
    """Loss per byte, index and smallest kernel of each node that has a smaller one."""
    for i, use in enumerate(ledger.uses):
        fitting = [each for each in use.choice.candidates if not each.refused]
        found = min(fitting, key=lambda each: (each.growth, each.index))
        saved = use.taken.growth - found.growth
        known = found.figure is not None and use.taken.figure is not None
        if found.growth < 0 and saved >= LEAST and known and not use.taken.preferred:
            yield (use.runs * (found.figure or 0) - use.cost) / saved, i, found
