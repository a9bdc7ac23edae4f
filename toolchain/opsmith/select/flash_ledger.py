"""Ledger of the flash that kernels take: instances, general forms, shared functions, and Params.

Nodes of equal Params form a group, which has an instance or is computed by the general form. The
general form takes a struct of Params for each group, and an argument of each call, beside its own
code.

Sizes of code are estimates that kernels declare (`Code`), for all nodes or for one; only the linker
knows the real sizes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from opsmith.contract.literals import initializer
from opsmith.ir import Candidate, Graph, KernelChoice, Node
from opsmith.op.alias import left_in_place
from opsmith.op.fields import layout, members
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Code
from opsmith.op.typed import TypedOp

ARGUMENT = 8  # bytes of invoke() to pass Params to a general form
UNKNOWN = 10.0  # cycles per output element, if no cost is declared

General = int  # number of a general form: op, the C++ function and its types, kernel
Group = int  # number of a general form and Params: nodes of one share an instance


@dataclass
class LedgerUse:
    """A node with its current kernel, in the ledger."""

    node: Node
    op: TypedOp
    choice: KernelChoice
    taken: Candidate
    elements: int
    runs: int = 1  # number of runs in one invoke()
    _texts: dict[int, str] = field(default_factory=dict)

    def params_of(self, candidate: Candidate) -> str:
        """Params of a candidate that fits the node, as C++ text."""
        if candidate.index not in self._texts:
            self._texts[candidate.index] = initializer(candidate.plan.params)
        return self._texts[candidate.index]

    def general_of(self, candidate: Candidate) -> tuple[object, ...]:
        """Identity of the general form that the node would share with a candidate's kernel."""
        kernel = self.op.kernels[candidate.index]
        called = (self.op.name, kernel.home, self.op.symbol(kernel))
        return *called, tuple(self.op.c_types.values()), candidate.index

    def code_of(self, candidate: Candidate) -> Code:
        """Size and speed of a candidate's machine code for the node."""
        code: Code | None = candidate.plan.code
        return self.op.kernels[candidate.index].code if code is None else code

    @property
    def cost(self) -> float:
        """Instructions of the node in one invoke() with an instance of its own."""
        figure = self.taken.figure
        return self.runs * (UNKNOWN * self.elements if figure is None else figure)

    @property
    def slower(self) -> float:
        """Instructions that the general form of its kernel takes in addition."""
        return self.cost * (self.code_of(self.taken).slowdown - 1)


def uses_of(graph: Graph, ops: OpIndex) -> list[LedgerUse]:
    """Return the nodes of a graph with chosen kernels, as ledger entries."""
    return [_use(graph, node, ops.of(graph, node)) for node in graph.nodes]


def uses_that_run(graph: Graph, ops: OpIndex) -> list[LedgerUse]:
    """Ledger entries, without those that the memory plan, if there is one, leaves in place."""
    uses = uses_of(graph, ops)
    if graph.plan is None:
        return uses
    return [use for use in uses if not left_in_place(graph, use.node, use.op)]


def _use(graph: Graph, node: Node, op: TypedOp) -> LedgerUse:
    choice = node.kernel
    assert choice is not None
    elements = sum(graph.tensors[name].elements for name in node.outputs)
    runs = 1 if graph.stream is None else graph.stream.runs(node)
    return LedgerUse(node, op, choice, choice.taken, elements, runs)


@dataclass(frozen=True)
class _Size:
    """Sizes in bytes that a group needs: general form, Params, instance and shared functions."""

    general: General
    form: int  # of its general form alone, which other groups may need, too
    common: Mapping[str, int]  # what the general form shares with instances
    params: int
    instance: int
    shared: Mapping[str, int]


class Ledger:
    """Groups of nodes with equal Params, and which of the groups have instances."""

    def __init__(
        self, uses: Sequence[LedgerUse], *, specialised: bool = False, swelling: float = 1.0
    ) -> None:
        self.uses, self._swelling = uses, swelling
        self._generals: dict[tuple[object, ...], General] = {}
        self._groups: dict[tuple[General, str], Group] = {}
        self._sizes: list[_Size] = []  # group -> sizes
        self._growth = 0  # bytes of tables, above those of the kernels chosen first
        self.group = [self.group_of(use, use.taken) for use in uses]  # node -> group
        owning = (g for g, use in zip(self.group, uses, strict=True) if use.choice.specialised)
        self.own = set(owning) if specialised else set[Group]()
        self._count()

    def group_of(self, use: LedgerUse, candidate: Candidate) -> Group:
        """Group to which a node belongs with a candidate's kernel."""
        general = self._generals.setdefault(use.general_of(candidate), len(self._generals))
        group = (general, use.params_of(candidate))
        if group not in self._groups:
            self._groups[group] = len(self._sizes)
            code = use.code_of(candidate)
            params: type = type(candidate.plan.params)
            size = layout(params).itemsize if members(params) else 0
            form, common = self._form(use.op.kernels[candidate.index].code)
            shared = {name: self._compiled(each) for name, each in code.shared.items()}
            instance = self._compiled(code.instance)
            self._sizes.append(_Size(general, form, common, size, instance, shared))
        return self._groups[group]

    def _form(self, code: Code) -> tuple[int, Mapping[str, int]]:
        """Bytes of a general form alone, and functions in it that instances of any node share."""
        alone = code.general - sum(code.shared.values())
        if alone < 0:
            return self._compiled(code.general), {}
        common = {name: self._compiled(each) for name, each in code.shared.items()}
        return self._compiled(alone), common

    def _compiled(self, declared: int) -> int:
        return round(declared * self._swelling)

    def general(self, group: Group) -> General:
        """General form that a group would use."""
        return self._sizes[group].general

    def _count(self) -> None:
        """Count the nodes of groups, and groups that need functions which several share."""
        self.nodes = Counter(self.group)
        self._members: dict[Group, list[LedgerUse]] = {}
        for use, group in zip(self.uses, self.group, strict=True):
            self._members.setdefault(group, []).append(use)
        without = [group for group in self.nodes if group not in self.own]
        self._open = Counter(self._sizes[group].general for group in without)
        self._sharing = Counter(name for group in self.nodes for name in self._functions(group))

    def _functions(self, group: Group) -> Mapping[str, int]:
        """Functions that a group shares with others, as it is computed."""
        size = self._sizes[group]
        return size.shared if group in self.own else size.common

    @property
    def bytes(self) -> int:
        """Bytes that the kernels take, including calls of general forms and growth of tables."""
        found, shared, forms = self._growth, dict[str, int](), dict[General, int]()
        for group, nodes in self.nodes.items():
            size = self._sizes[group]
            if group in self.own:
                found += size.instance
            else:
                found += size.params + ARGUMENT * nodes
                forms[size.general] = size.form
            shared |= self._functions(group)
        return found + sum(shared.values()) + sum(forms.values())

    def price(self, groups: Iterable[Group]) -> int:
        """Bytes that instances add for groups that have none."""
        price, shared, left = 0, dict[str, int](), Counter[str]()
        sizes, closed = dict[str, int](), dict[General, int]()
        for group in groups:
            size = self._sizes[group]
            price += size.instance - size.params - ARGUMENT * self.nodes[group]
            shared.update(size.shared)
            sizes.update(size.common)
            left.update(size.common.keys())
            closed[size.general] = closed.get(size.general, 0) + 1
            if closed[size.general] == self._open[size.general]:
                price -= size.form
        gone = (name for name in left if left[name] == self._sharing[name] and name not in shared)
        price -= sum(sizes[name] for name in gone)
        return price + sum(each for name, each in shared.items() if not self._sharing[name])

    def price_of_kernel(self, i: int, candidate: Candidate, *, instance: bool) -> int:
        """Bytes that another kernel of a node adds, in an instance or in its general form."""
        new = self.group_of(self.uses[i], candidate)
        growth = candidate.growth - self.uses[i].taken.growth
        return growth + self._joined(new, instance=instance) - self._left(self.group[i])

    def _joined(self, group: Group, *, instance: bool) -> int:
        """Bytes that one more node of a group adds."""
        size = self._sizes[group]
        if self.nodes[group]:
            return 0 if group in self.own else ARGUMENT
        functions = size.shared if instance else size.common
        new = sum(each for name, each in functions.items() if not self._sharing[name])
        if instance:
            return size.instance + new
        return size.params + ARGUMENT + new + (0 if self._open[size.general] else size.form)

    def _left(self, group: Group) -> int:
        """Bytes that are saved if a node leaves a group."""
        size = self._sizes[group]
        if self.nodes[group] > 1:
            return 0 if group in self.own else ARGUMENT
        functions = self._functions(group).items()
        last = sum(each for name, each in functions if self._sharing[name] == 1)
        if group in self.own:
            return size.instance + last
        form = size.form if self._open[size.general] == 1 else 0
        return size.params + ARGUMENT + last + form

    def specialise(self, groups: Iterable[Group]) -> None:
        """Give groups instances of their own."""
        self.own |= set(groups)
        self._count()

    def change(self, i: int, candidate: Candidate, *, instance: bool) -> None:
        """Give a node another kernel, in an instance if its new group had no node yet."""
        self._growth += candidate.growth - self.uses[i].taken.growth
        self.uses[i].taken = candidate
        self.group[i] = group = self.group_of(self.uses[i], candidate)
        if instance and not self.nodes[group]:
            self.own.add(group)
        self._count()

    def exchange(
        self, changes: Mapping[int, Candidate], *, instances: bool = True, least: float = 1
    ) -> int:
        """Give nodes other kernels, in instances or general forms for new groups, if that saves at
        least `least` bytes. Returns the bytes that the exchange saves or would save.
        """
        before, growth, group, own = self.bytes, self._growth, [*self.group], {*self.own}
        taken = {i: self.uses[i].taken for i in changes}
        for i, candidate in changes.items():
            self._growth += candidate.growth - taken[i].growth
            self.uses[i].taken = candidate
            self.group[i] = self.group_of(self.uses[i], candidate)
            if instances and not self.nodes[self.group[i]]:
                self.own.add(self.group[i])
        self._count()
        if (saved := before - self.bytes) < least:
            for i, candidate in taken.items():
                self.uses[i].taken = candidate
            self._growth, self.group, self.own = growth, group, own
            self._count()
        return saved

    def has(self, i: int, candidate: Candidate) -> tuple[bool, bool]:
        """Presence of the group that a node would join, and of its instance."""
        group = self.group_of(self.uses[i], candidate)
        return bool(self.nodes[group]), group in self.own

    def without_instance(self) -> list[Group]:
        """Return the groups that general forms compute."""
        return [group for group in self.nodes if group not in self.own]

    def uses_of(self, group: Group) -> list[LedgerUse]:
        """Return the nodes of a group."""
        return self._members[group]

    def missing(self, group: Group) -> tuple[str, ...]:
        """Names of shared functions that an instance for a group would need and no other has."""
        shared = self._sizes[group].shared
        return tuple(sorted(name for name in shared if not self._sharing[name])) if shared else ()
