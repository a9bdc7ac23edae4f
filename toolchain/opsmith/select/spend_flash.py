"""Spending of flash on speed: kernels with larger weights, and instances of kernels for one Params.

Nodes start with the best kernel that costs no extra flash, in its general form, which reads its
Params at run time and serves all nodes. Every faster form has a price in bytes. The first instances
bought are those whose general form is far slower; then the offer with the most cycles per
byte is bought, until the budget pays for nothing more. A kernel whose nodes all have instances
needs no general form: its last instances are cheaper by the size of that form, and may even have a
price below zero. Functions that several instances share are paid once, so that the instances that
need them are offered together, too. Where instances for all kernels can be paid together, they are
bought at once. In the end nodes give up instances for existing ones of kernels as fast, such as one
that knows exceptions. Where no flash is to be spent, nodes get instances where these take less
than the general form, or save a share of time of 32 times the share of flash that they take, and
all nodes of a kernel another one where that is smaller and as fast.

Where the flash for such purchases is missing, or none is to be spent, nodes get smaller and slower
kernels first (`spare_flash.py`). Where no budget was given, what these save is weighed against time
unless the board or the model's file has no more, and code that gains little is exchanged again
(`spare_code.py`).

Constants are counted as they are packed. Prices of code are estimates (`Code` of the kernel or of
its plan), as is the size of the rest of a firmware; only the linker knows. Postcondition: every
node is as before or faster, or flash was short or worth more; purchases fit into the budget.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from opsmith.ir import Candidate, Graph, Node, Offer
from opsmith.op.constants import packed_bytes
from opsmith.op.index import OpIndex
from opsmith.select.choice import chosen
from opsmith.select.deals import Deal, Slower
from opsmith.select.estimated_flash import CALL, FIRMWARE
from opsmith.select.flash_budget import FlashBudget
from opsmith.select.flash_ledger import General, Group, Ledger, uses_of
from opsmith.select.spare_code import price_of_flash, price_of_time, spare_code
from opsmith.select.spare_flash import spare_flash
from opsmith.select.stored import fewer_as_stored

TOLERATED = 1.35  # times an instance's cycles: slower general forms are replaced first


def spend_flash(graph: Graph, ops: OpIndex, budget: FlashBudget) -> Graph:
    """Return the graph with the kernels and instances that the budget buys, and with all offers."""
    ledger = Ledger(uses := uses_of(graph, ops), swelling=budget.swelling)
    market, price = _Market(ledger), 0.0
    fixed, constants = FIRMWARE + CALL * len(graph.nodes), packed_bytes(graph, ops)
    room = math.inf if budget.room is None else budget.room - fixed - constants
    limit = needed = room
    if budget.bytes is not None:
        fewer = fewer_as_stored(graph, uses) if budget.as_stored else 0
        left = budget.bytes - fewer - fixed - max(constants - budget.elsewhere, 0)
        limit = min(left, limit)
        needed = min(needed, ledger.bytes - fewer) if budget.weighs else limit
        price = price_of_time(ledger, fixed + constants)
    if budget.buys:
        market.spend(limit, needed, price)
    else:
        market.save()
    if budget.weighs:
        market.weigh(fixed + constants, limit)
    if not budget.buys:
        market.quicken(fixed + constants, room)
    return replace(graph, nodes=tuple(market.nodes()))


class _Market:
    """Market with the nodes' current kernels, open offers, and purchases."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._bought: list[Offer] = []
        self._why: dict[str, str] = {}  # node -> why its kernel takes longer
        # valid until a node changes its kernel: results by group, and by functions that are not
        # shared
        self._slower: dict[Group, Slower] = {}
        self._single: dict[tuple[Group, tuple[str, ...]], Deal] = {}

    def spend(self, budget: float, needed: float, price: float) -> None:
        """Buy the deals that gain most per byte while the budget lasts; first spare flash, as
        `spare_flash` says, where the budget is too small for the current kernels.
        """
        self._bought += spare_flash(self._ledger, budget, needed, price)
        whole = [deal for deal in self._instances() if deal.whole]
        everything = [group for deal in whole for group in deal.groups]
        if self._ledger.bytes + self._ledger.price(everything) <= budget:
            for deal in whole:
                self._buy(deal)
        self._buy_best(budget, self._replaces_slow)
        self._buy_best(budget, lambda deal: True)
        self._join()

    def weigh(self, beside: int, budget: float) -> None:
        """Spare code that gains little, in a firmware with `beside` bytes of other flash, and buy
        instances with the saved bytes.
        """
        for offer in spare_code(self._ledger, beside):
            self._forget({*offer.nodes})
            self._buy_best(budget, lambda deal: deal.candidate is None)
            self._bought.append(offer)
            time, more = f"{abs(offer.gain):,.0f} cycles", offer.gain < 0
            end = f"less for {time} more" if more else f"and {time} less"
            said = f"{-offer.bytes:,} bytes of code {end}"
            self._why |= dict.fromkeys(offer.nodes, said)

    def quicken(self, beside: int, budget: float) -> None:
        """Buy instances that are worth their flash though none is to be spent, in a firmware with
        `beside` bytes of other flash.
        """
        worth = price_of_flash(self._ledger, beside)

        def pays(deal: Deal) -> bool:
            return deal.candidate is None and deal.offer.gain > worth * deal.offer.bytes

        self._buy_best(budget, pays)

    def _buy_best(self, budget: float, wanted: Callable[[Deal], bool]) -> None:
        """Buy the wanted deals that gain most per byte, while the budget lasts."""
        while payable := self._payable(max(budget - self._ledger.bytes, 0), wanted):
            self._buy(max(payable, key=Deal.rank))

    def _join(self) -> None:
        """Move all nodes of an instance to another existing instance, of a kernel as fast."""
        for group in [each for each in self._ledger.nodes if each in self._ledger.own]:
            nodes = [i for i, each in enumerate(self._ledger.group) if each == group]
            names = [c.name for c in self._ledger.uses[nodes[0]].choice.candidates] if nodes else []
            for name in dict.fromkeys(names):
                changes = dict(self._changes(nodes, name))
                theirs = [self._ledger.has(i, candidate) for i, candidate in changes.items()]
                if len(changes) == len(nodes) and all(own for _, own in theirs):
                    self._exchanged(changes)

    def _payable(self, left: float, wanted: Callable[[Deal], bool]) -> list[Deal]:
        return [deal for deal in self._deals() if deal.offer.bytes <= left and wanted(deal)]

    def _replaces_slow(self, deal: Deal) -> bool:
        """True if a deal buys only instances whose general forms are slower than is tolerated."""
        if deal.candidate is not None:
            return False
        return all(self._slower_nodes(group).times > TOLERATED for group in deal.groups)

    def save(self) -> None:
        """Buy every deal that makes the firmware smaller, even if slower."""
        self._bought += spare_flash(self._ledger, -math.inf)
        for deal in [*self._instances()]:
            if deal.whole and deal.offer.bytes < 0:
                self._buy(deal)
        forms: dict[General, list[int]] = {}
        for i, group in enumerate(self._ledger.group):
            forms.setdefault(self._ledger.general(group), []).append(i)
        for nodes in forms.values():
            for name in dict.fromkeys(
                c.name for c in self._ledger.uses[nodes[0]].choice.candidates
            ):
                self._exchange(nodes, name)

    def _exchange(self, nodes: Sequence[int], name: str) -> None:
        """Give all nodes of a kernel another one that is as fast, where that makes the firmware
        smaller. All nodes move at once, since the first alone would need the code of both.
        """
        changes = dict(self._changes(nodes, name))
        uses = [self._ledger.uses[i] for i in changes]
        cost = sum(use.cost for use in uses)
        if not changes or (saved := self._exchanged(changes)) <= 0:
            return
        names = tuple(use.node.name for use in uses)
        gain = cost - sum(use.cost for use in uses)
        self._bought.append(Offer(name, names, -saved, gain, bought=True))

    def _exchanged(self, changes: Mapping[int, Candidate]) -> int:
        """Give nodes other kernels if that saves flash, and drop offers that this makes needless.
        Returns the bytes saved; zero or less means that nothing changed.
        """
        if (saved := self._ledger.exchange(changes)) > 0:
            self._forget({self._ledger.uses[i].node.name for i in changes})
        return saved

    def _forget(self, names: set[str]) -> None:
        """Discard offers and prices that new kernels of the named nodes make obsolete."""
        self._slower.clear()
        self._single.clear()
        self._bought = [offer for offer in self._bought if not {*offer.nodes} <= names]

    def _changes(self, nodes: Sequence[int], name: str) -> Iterator[tuple[int, Candidate]]:
        """Nodes, with candidate, that the named kernel can compute as fast, in an instance."""
        for i in nodes:
            use = self._ledger.uses[i]
            for candidate in () if use.taken.preferred else use.choice.candidates:
                if candidate.name != name or candidate.refused or candidate is use.taken:
                    continue
                there, own = self._ledger.has(i, candidate)
                figure = candidate.figure
                fast = figure is not None and use.runs * figure <= use.cost
                if fast and (own or not there):
                    yield i, candidate
                    break

    def nodes(self) -> Iterator[Node]:
        """Yield the nodes with their current kernels and the offers made for them."""
        by_node: dict[str, list[Offer]] = {}
        for offer in [*self._bought, *(deal.offer for deal in self._deals())]:
            for name in offer.nodes:
                by_node.setdefault(name, []).append(offer)
        for use, group in zip(self._ledger.uses, self._ledger.group, strict=True):
            choice = use.choice
            if use.taken is not choice.taken:
                found = chosen(use.op, choice.candidates, use.taken)
                why = self._why.get(use.node.name, found.why)
                choice = replace(found, side=choice.side, why=why)
            offers = tuple(by_node.get(use.node.name, ()))
            kernel = replace(choice, specialised=group in self._ledger.own, offers=offers)
            yield replace(use.node, kernel=kernel)

    def _buy(self, deal: Deal) -> None:
        self._bought.append(replace(deal.offer, bought=True))
        if deal.candidate is None:
            self._ledger.specialise(deal.groups)
        else:
            self._ledger.change(deal.node, deal.candidate, instance=deal.instance)
            self._slower.clear()
            self._single.clear()

    def _deals(self) -> Iterator[Deal]:
        yield from self._instances()
        for i, use in enumerate(self._ledger.uses):
            for candidate in use.choice.candidates:
                if candidate.growth > use.taken.growth and not use.taken.preferred:
                    yield from self._kernels(i, candidate)

    def _instances(self) -> Iterator[Deal]:
        """Yield deals that buy instances: for each group without one, for groups that share a
        missing function, and for all groups of a kernel.
        """
        forms: dict[General, list[Group]] = {}
        for group in self._ledger.without_instance():
            forms.setdefault(self._ledger.general(group), []).append(group)
        for groups in forms.values():
            yield replace(self._instance(groups), whole=True)
            if len(groups) == 1:
                continue
            sharing: dict[tuple[str, ...], list[Group]] = {}
            for group in groups:
                missing = self._ledger.missing(group)
                if (group, missing) not in self._single:
                    self._single[group, missing] = self._instance([group])
                yield self._single[group, missing]
                if missing:
                    sharing.setdefault(missing, []).append(group)
            for some in sharing.values():
                if 1 < len(some) < len(groups):
                    yield self._instance(some)

    def _instance(self, groups: Sequence[Group]) -> Deal:
        price = self._ledger.price(groups)
        found = [self._slower_nodes(group) for group in groups]
        names = tuple(name for each in found for name in each.names)
        gain = sum(each.cycles for each in found)
        return Deal(Offer("instance", names, price, gain), tuple(groups))

    def _slower_nodes(self, group: Group) -> Slower:
        if group not in self._slower:
            uses = self._ledger.uses_of(group)
            times = min(use.code_of(use.taken).slowdown for use in uses)
            names = tuple(use.node.name for use in uses)
            self._slower[group] = Slower(names, sum(use.slower for use in uses), times)
        return self._slower[group]

    def _kernels(self, i: int, candidate: Candidate) -> Iterator[Deal]:
        """Yield deals that buy a kernel with larger weights for a node: in an instance, and in its
        general form, unless that gains nothing or other nodes have decided it.
        """
        use = self._ledger.uses[i]
        if candidate.refused or candidate.figure is None or use.taken.figure is None:
            return
        here = self._ledger.group[i] in self._ledger.own
        now = use.runs * use.taken.figure + (0.0 if here else use.slower)
        there, own = self._ledger.has(i, candidate)
        for instance in [own] if there else [True, False]:
            slowdown = 1.0 if instance else use.code_of(candidate).slowdown
            if (gain := now - use.runs * candidate.figure * slowdown) > 0:
                price = self._ledger.price_of_kernel(i, candidate, instance=instance)
                offer = Offer(candidate.name, (use.node.name,), price, gain)
                yield Deal(offer, node=i, candidate=candidate, instance=instance)
