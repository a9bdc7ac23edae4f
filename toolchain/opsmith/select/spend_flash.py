"""Spend flash on speed: kernels with larger weights, and instances of kernels for one Params.

Nodes start with the best kernel that costs no extra flash, in its general form, which reads its
Params at run time and serves all nodes. Whatever is faster has a price in bytes. What gains most
instructions per byte is bought first, as far as the budget goes. A kernel whose nodes all have
instances needs no general form: the last of them are cheaper by what it takes, and may even have a
price below zero. Where instances for all kernels can be paid together, they are bought at once.
Where no flash is to be spent, a kernel's nodes get instances only where these take less than its
general form.

Prices of code are estimates (`Code` of the kernel), and so is what the rest of a firmware
takes; only the linker knows. The same graph and budget always give the same purchases.
Postcondition: every node is as before or faster, and what was bought fits into the budget.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from opsmith.contract.literals import initializer
from opsmith.ir import Candidate, Graph, KernelChoice, Node, Offer
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Code
from opsmith.op.typed import TypedOp
from opsmith.select.choice import chosen

FIRMWARE = 5120  # bytes: startup, console, application and what they link
CALL = 40  # bytes of invoke() for each node
ALLOWANCE = 16 * 1024  # beside the constants of a model file, for all code and what is bought
UNKNOWN = 10.0  # instructions per element of an output, where no cost is declared


@dataclass(frozen=True)
class FlashBudget:
    """The flash budget of a firmware; `bytes` None: unlimited."""

    bytes: int | None = None
    buys: bool = True  # False: no flash is spent on speed, and some saved where it can be


UNLIMITED, NOTHING = FlashBudget(), FlashBudget(0, buys=False)


General = tuple[object, ...]  # op, the C++ function and its types, kernel: one general form
Group = tuple[General, str]  # a general form and Params as text: nodes of one share an instance


@dataclass
class _Use:
    """A node with the kernel chosen so far."""

    node: Node
    op: TypedOp
    choice: KernelChoice
    taken: Candidate
    elements: int
    params: Mapping[int, str]  # as text, of each kernel that fits, by its index

    @property
    def general(self) -> General:
        """The general form that it would share."""
        return self.general_of(self.taken)

    def general_of(self, candidate: Candidate) -> General:
        """Return the general form of another kernel."""
        kernel = self.op.kernels[candidate.index]
        called = (self.op.name, kernel.home, self.op.symbol(kernel))
        return *called, tuple(self.op.c_types.values()), candidate.index

    @property
    def code(self) -> Code:
        """The size of its kernel's machine code."""
        return self.op.kernels[self.taken.index].code

    @property
    def cost(self) -> float:
        """Instructions, in an instance of its own."""
        figure = self.taken.figure
        return UNKNOWN * self.elements if figure is None else figure


def spend_flash(graph: Graph, ops: OpIndex, budget: FlashBudget) -> Graph:
    """Return the graph with the kernels and instances that the budget buys, and all offers."""
    uses = [_use(graph, node, ops.of(graph, node)) for node in graph.nodes]
    market = _Market(uses)
    if budget.buys:
        market.spend(None if budget.bytes is None else _left(graph, uses, budget))
    else:
        market.save()
    return replace(graph, nodes=tuple(market.nodes()))


def _use(graph: Graph, node: Node, op: TypedOp) -> _Use:
    choice = node.kernel
    assert choice is not None
    elements = sum(graph.tensors[name].elements for name in node.outputs)
    fitting = [each for each in choice.candidates if each.plan is not None]
    params = {each.index: initializer(each.plan.params) for each in fitting}
    return _Use(node, op, choice, choice.taken, elements, params)


def _left(graph: Graph, uses: Sequence[_Use], budget: FlashBudget) -> int:
    """Return the bytes to spend: the budget less what the firmware needs in any case."""
    forms = {use.general: use.code.general for use in uses}
    taken = FIRMWARE + CALL * len(uses) + sum(forms.values())
    assert budget.bytes is not None
    return budget.bytes - taken - constant_bytes(graph)


def constant_bytes(graph: Graph) -> int:
    """Estimate the flash that a graph's constants take; a bias brings two or three more words."""
    constants = [tensor for tensor in graph.tensors.values() if tensor.constant is not None]
    return sum(t.bytes * (4 if t.dtype.name == "int32" else 1) for t in constants)


@dataclass(frozen=True)
class _Deal:
    """An offer, and the effect of buying it."""

    offer: Offer
    use: int = -1  # the node that changes its kernel
    candidate: Candidate | None = None
    groups: frozenset[int] = frozenset()  # those that get an instance
    whole: bool = False  # the kernel's general form goes

    def rank(self) -> float:
        """Gain per byte."""
        return self.offer.gain / self.offer.bytes if self.offer.bytes > 0 else math.inf


def _payable(deal: _Deal, left: int | None) -> bool:
    return left is None or deal.offer.bytes <= max(left, 0)


class _Market:
    """The nodes' current kernels, open offers, and purchases."""

    def __init__(self, uses: list[_Use]) -> None:
        self._uses = uses
        self._ids: dict[Group, int] = {}
        self._generals: list[General] = []  # of each group
        self._groups = [self._id(use, use.taken) for use in uses]
        self._single: dict[int, _Deal] = {}  # an instance of one group, for the nodes that are now
        self._own: set[int] = set()  # groups with an instance
        self._bought: list[Offer] = []

    def spend(self, left: int | None) -> None:
        """Buy what gains most per byte, the first of equals, as long as the budget lasts."""
        whole = [deal for deal in self._instances() if deal.whole]
        if left is None or sum(deal.offer.bytes for deal in whole) <= left:
            for deal in whole:
                left = self._buy(deal, left)
        while affordable := [deal for deal in self._deals() if _payable(deal, left)]:
            left = self._buy(max(affordable, key=_Deal.rank), left)

    def save(self) -> None:
        """Buy what makes the firmware smaller."""
        for deal in [*self._instances()]:
            if deal.whole and deal.offer.bytes < 0:
                self._buy(deal, None)

    def nodes(self) -> Iterator[Node]:
        """Yield the nodes as they are now, with the offers made for them."""
        by_node: dict[str, list[Offer]] = {}
        for offer in [*self._bought, *(deal.offer for deal in self._deals())]:
            for name in offer.nodes:
                by_node.setdefault(name, []).append(offer)
        for use, group in zip(self._uses, self._groups, strict=True):
            choice = use.choice
            if use.taken is not choice.taken:
                found = chosen(use.op, choice.candidates, use.taken)
                choice = replace(found, side=choice.side)
            offers = tuple(by_node.get(use.node.name, ()))
            kernel = replace(choice, specialised=group in self._own, offers=offers)
            yield replace(use.node, kernel=kernel)

    def _id(self, use: _Use, candidate: Candidate) -> int:
        group = use.general_of(candidate), use.params[candidate.index]
        if group not in self._ids:
            self._ids[group] = len(self._generals)
            self._generals.append(group[0])
        return self._ids[group]

    def _buy(self, deal: _Deal, left: int | None) -> int | None:
        """Buy; returns the remaining budget."""
        self._bought.append(replace(deal.offer, bought=True))
        if deal.candidate is None:
            self._own |= deal.groups
        else:
            self._uses[deal.use].taken = deal.candidate
            self._groups[deal.use] = self._id(self._uses[deal.use], deal.candidate)
            self._single.clear()
        return None if left is None else left - deal.offer.bytes

    def _deals(self) -> Iterator[_Deal]:
        yield from self._instances()
        there = {self._generals[group] for group in self._groups}
        for i, use in enumerate(self._uses):
            for candidate in use.choice.candidates:
                if candidate.growth > use.taken.growth and not use.taken.preferred:
                    yield from self._kernel(i, candidate, there)

    def _instances(self) -> Iterator[_Deal]:
        """Yield instances for groups without one, and for all groups of a kernel at once."""
        members: dict[int, list[_Use]] = {}
        for use, group in zip(self._uses, self._groups, strict=True):
            if group not in self._own:
                members.setdefault(group, []).append(use)
        forms: dict[General, list[int]] = {}
        for group in members:
            forms.setdefault(self._generals[group], []).append(group)
        for groups in forms.values():
            code = members[groups[0]][0].code
            price = len(groups) * code.instance - code.general
            yield replace(self._instance(groups, members, price), whole=True)
            for group in groups if len(groups) > 1 else ():
                if group not in self._single:
                    self._single[group] = self._instance([group], members, code.instance)
                yield self._single[group]

    def _instance(
        self, groups: Sequence[int], members: Mapping[int, Sequence[_Use]], price: int
    ) -> _Deal:
        uses = [use for group in groups for use in members[group]]
        gain = sum(use.cost for use in uses) * (uses[0].code.slowdown - 1)
        names = tuple(use.node.name for use in uses)
        return _Deal(Offer("instance", names, price, gain), groups=frozenset(groups))

    def _kernel(self, i: int, candidate: Candidate, there: Set[General]) -> Iterator[_Deal]:
        """Yield a kernel with larger weights for a node, priced by their growth and its code."""
        use = self._uses[i]
        if candidate.refused or candidate.figure is None or use.taken.figure is None:
            return
        code = use.op.kernels[candidate.index].code
        now = use.taken.figure * (1.0 if self._groups[i] in self._own else use.code.slowdown)
        own = self._id(use, candidate) in self._own
        gain = now - candidate.figure * (1.0 if own else code.slowdown)
        fresh = 0 if use.general_of(candidate) in there else code.general
        if gain > 0:
            price = candidate.growth - use.taken.growth + fresh
            offer = Offer(candidate.name, (use.node.name,), price, gain)
            yield _Deal(offer, use=i, candidate=candidate)
