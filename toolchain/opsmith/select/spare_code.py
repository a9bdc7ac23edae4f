"""Spare code that gains little time: kernels are exchanged for slower ones that take less flash.

All nodes of a kernel get another one where the part of the flash that goes is 16 times the part of
the time that comes. A kilobyte for a layer of a few hundred products is seldom worth it.
"""

from collections.abc import Iterator, Mapping, Sequence

from opsmith.ir import Candidate, Offer
from opsmith.select.flash_ledger import General, Ledger

WORTH = 16  # parts of all flash that a part of all time is worth
LEAST = 128  # bytes that an exchange must save: sizes of code are estimates


def spare_code(ledger: Ledger, beside: float) -> list[Offer]:
    """Give nodes smaller kernels, in a firmware that takes so much flash beside their code; the
    exchanges, as offers of which bytes and gain are below zero.
    """
    made: list[Offer] = []
    instructions = sum(use.cost for use in ledger.uses)
    price = WORTH * (beside + ledger.bytes) / max(instructions, 1)
    for nodes in _forms(ledger):
        for name, changes in _slower(ledger, nodes).items():
            uses = [ledger.uses[i] for i in changes]
            lost = -sum(use.cost for use in uses)
            lost += sum(ledger.uses[i].runs * (c.figure or 0) for i, c in changes.items())
            least = max(price * lost, LEAST)
            if least <= ledger.bytes and (saved := ledger.exchange(changes, least=least)) > 0:
                names = tuple(use.node.name for use in uses)
                made.append(Offer(name, names, -saved, -lost, bought=True))
                break
    return made


def _forms(ledger: Ledger) -> list[list[int]]:
    """The nodes of each kernel."""
    forms: dict[General, list[int]] = {}
    for i, group in enumerate(ledger.group):
        forms.setdefault(ledger.general(group), []).append(i)
    return [*forms.values()]


def _slower(ledger: Ledger, nodes: Sequence[int]) -> Mapping[str, dict[int, Candidate]]:
    """The kernels that could compute all of these nodes with as much for tables, the fastest
    first.
    """
    found: dict[str, dict[int, Candidate]] = {}
    for i in nodes:
        for candidate in _candidates(ledger, i):
            found.setdefault(candidate.name, {}).setdefault(i, candidate)
    of_all = [(name, each) for name, each in found.items() if len(each) == len(nodes)]

    def cost(each: Mapping[int, Candidate]) -> float:
        return sum(ledger.uses[i].runs * (c.figure or 0) for i, c in each.items())

    return dict(sorted(of_all, key=lambda item: cost(item[1])))


def _candidates(ledger: Ledger, i: int) -> Iterator[Candidate]:
    """Further kernels of the processor that fit a node in an instance, of known cost, with tables
    as large.
    """
    use, taken = ledger.uses[i], ledger.uses[i].taken
    if taken.preferred or taken.device or taken.figure is None:
        return
    for each in use.choice.candidates:
        known = not each.refused and each.figure is not None and not each.device
        if known and each is not taken and each.growth == taken.growth:
            there, own = ledger.has(i, each)
            if own or not there:
                yield each
