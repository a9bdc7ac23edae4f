"""Sparing of code that gains little time: kernels are exchanged for slower ones in less flash.

All nodes of a kernel get another one where the share of flash that is saved is 16 times the share
of time that is added. A kilobyte for a layer of a few hundred products is seldom worth it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from opsmith.ir import Candidate, Offer
from opsmith.select.flash_ledger import General, Ledger, LedgerUse

WORTH = 16  # relative flash that equals one unit of relative time
DEAR = 32  # relative time that equals one unit of relative flash where none is to be spent
LEAST = 128  # bytes that an exchange must save: sizes of code are estimates


def spare_code(ledger: Ledger, beside: float) -> Iterator[Offer]:
    """Give nodes smaller kernels, in a firmware with `beside` bytes of flash apart from their code;
    yields each exchange as an offer with negative bytes and gain.
    """
    price = price_of_time(ledger, beside)
    for nodes in _forms(ledger):
        for name, changes in _slower(ledger, nodes).items():
            found = [*_exchanges(ledger, changes, price)]
            if found:
                saved, lost, instances = max(found)
                ledger.exchange(changes, instances=instances)
                names = tuple(ledger.uses[i].node.name for i in changes)
                yield Offer(name, names, -saved, -lost, bought=True)
                break


def price_of_time(ledger: Ledger, beside: float) -> float:
    """Bytes that one cycle is worth, in a firmware with `beside` bytes of other flash."""
    cycles = sum(use.cost for use in ledger.uses)
    return WORTH * (beside + ledger.bytes) / max(cycles, 1)


def price_of_flash(ledger: Ledger, beside: float) -> float:
    """Cycles that one byte is worth where none is to be spent, in a firmware with `beside` bytes of
    other flash.
    """
    cycles = sum(
        use.cost * _times(use, use.taken, ledger.has(i, use.taken)[1])
        for i, use in enumerate(ledger.uses)
    )
    return DEAR * cycles / (beside + ledger.bytes)


def _exchanges(
    ledger: Ledger, changes: Mapping[int, Candidate], price: float
) -> Iterator[tuple[int, float, bool]]:
    """Bytes saved and cycles lost by giving nodes other kernels, in instances (True) or
    general forms (False), where the exchange is worth it.
    """
    uses = {i: ledger.uses[i] for i in changes}
    now = sum(
        use.cost * _times(use, use.taken, ledger.has(i, use.taken)[1]) for i, use in uses.items()
    )
    for instances in (True, False):
        then = 0.0
        for i, candidate in changes.items():
            there, owned = ledger.has(i, candidate)
            times = _times(uses[i], candidate, owned or (instances and not there))
            then += uses[i].runs * (candidate.figure or 0) * times
        least = max(price * (then - now), LEAST)
        if least <= ledger.bytes:
            saved = ledger.exchange(changes, instances=instances, least=math.inf)
            if saved >= least:
                yield saved, then - now, instances


def _times(use: LedgerUse, candidate: Candidate, own: bool) -> float:
    """Factor by which the cycles of a node exceed those of an instance."""
    return 1.0 if own else use.code_of(candidate).slowdown


def _forms(ledger: Ledger) -> list[list[int]]:
    """Nodes of each kernel, the cheapest group first, whose flash the rest can use."""
    forms: dict[General, list[int]] = {}
    for i, group in enumerate(ledger.group):
        forms.setdefault(ledger.general(group), []).append(i)
    return sorted(forms.values(), key=lambda nodes: sum(ledger.uses[i].cost for i in nodes))


def _slower(ledger: Ledger, nodes: Sequence[int]) -> Mapping[str, dict[int, Candidate]]:
    """Kernels that could compute all given nodes with tables of equal size, the fastest first."""
    found: dict[str, dict[int, Candidate]] = {}
    for i in nodes:
        for candidate in _candidates(ledger, i):
            found.setdefault(candidate.name, {}).setdefault(i, candidate)
    of_all = [(name, each) for name, each in found.items() if len(each) == len(nodes)]

    def cost(each: Mapping[int, Candidate]) -> float:
        return sum(ledger.uses[i].runs * (c.figure or 0) for i, c in each.items())

    return dict(sorted(of_all, key=lambda item: cost(item[1])))


def _candidates(ledger: Ledger, i: int) -> Iterator[Candidate]:
    """Other kernels of the processor that fit a node, with known cost and tables of equal size."""
    use, taken = ledger.uses[i], ledger.uses[i].taken
    if taken.preferred or taken.device or taken.figure is None:
        return
    for each in use.choice.candidates:
        known = not each.refused and each.figure is not None and not each.device
        if known and each is not taken and each.growth == taken.growth:
            yield each
