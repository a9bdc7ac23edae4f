"""Which kernels can compute a node, which of them does, and why not another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolchain.ir import Candidate, DType, Graph, KernelChoice, Node
from toolchain.op.describe import Kernel, Op
from toolchain.op.node import bind_domains, view


@dataclass(frozen=True)
class Wishes:
    """What the user says about the choice."""

    prefer: str = ""  # the backend whose rows are taken where they fit, whatever they cost
    # node -> kernel file -> what a rig measured; of these nodes no declared cost counts
    measured: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    candidate: int | None = None  # for `tune`: this one of the rows that fit, or the last


NO_WISHES = Wishes()


def choose(
    graph: Graph, node: Node, op: Op, features: frozenset[str], wishes: Wishes = NO_WISHES
) -> KernelChoice:
    """The best of the rows that fit types, features and the node."""
    found = candidates(graph, node, op, features, wishes)
    return chosen(graph, node, op, found, best(found))


def candidates(
    graph: Graph, node: Node, op: Op, features: frozenset[str], wishes: Wishes = NO_WISHES
) -> tuple[Candidate, ...]:
    """Every row of the op as it stands for this node, in the declared order."""
    seen, measured = view(graph, node, op), wishes.measured.get(node.name, {})
    found = []
    for row, kernel in enumerate(op.kernels):
        preferred = kernel.name == wishes.prefer
        refused = " and ".join(refusals(graph, node, op, kernel, features))
        inexact = "" if refused or kernel.inexact is None else kernel.inexact(seen)
        if inexact and not preferred:
            refused = f"is not exact ({inexact}), and no prefer= names it"
        cost = None if refused or kernel.cost is None else kernel.cost(seen)
        figure = None if refused else measured.get(kernel.source)
        growth = 0 if refused or kernel.growth is None else kernel.growth(seen)
        found.append(
            Candidate(kernel.source, row, refused, inexact, cost, figure, preferred, growth)
        )
    return tuple(found) if wishes.candidate is None else _only(found, wishes.candidate)


def _only(found: Sequence[Candidate], number: int) -> tuple[Candidate, ...]:
    """The rows with one preferred: of this number among those that fit, or the last of them."""
    fitting = [candidate.row for candidate in found if not candidate.refused]
    taken = fitting[min(number, len(fitting) - 1)]
    return tuple(replace(each, preferred=each.row == taken) for each in found)


def best(found: Sequence[Candidate]) -> Candidate:
    """The row that computes the node: a preferred one, else the cheapest.

    A row goes before an earlier one only where what both cost is known, and it costs less. Rows
    that grow weights are bought later, unless they are preferred.
    """
    fitting = [c for c in found if not c.refused and (c.preferred or c.growth <= 0)]
    assert fitting, "the last kernel refuses a node"  # check_op forbids it
    first, *others = [c for c in fitting if c.preferred] or fitting
    for other in others:
        if other.figure is not None and first.figure is not None and other.figure < first.figure:
            first = other
    return first


def chosen(
    graph: Graph, node: Node, op: Op, found: Sequence[Candidate], taken: Candidate
) -> KernelChoice:
    """The choice of this candidate, with what speaks against each row that comes before it."""
    bound, _ = bind_domains(graph, node, op)
    symbol = op.symbol(op.kernels[taken.row], list(bound.values()))
    reasons = [reason for other in found for reason in _against(other, taken)]
    why = "; ".join(reasons) or "first choice"
    return KernelChoice(symbol, taken.source, taken.row, tuple(bound.items()), why, tuple(found))


def _against(other: Candidate, taken: Candidate) -> Iterator[str]:
    """Why another row is not taken, where somebody would ask."""
    if other == taken:
        if taken.preferred:
            yield f"prefer= names {taken.source}"
    elif other.row < taken.row and other.refused:
        yield f"{other.source} {other.refused}"
    elif other.row < taken.row and other.growth > taken.growth and not taken.preferred:
        yield f"{other.source} grows weights by {other.growth} bytes"
    elif not other.refused and not taken.preferred and _dearer(other, taken):
        yield f"{other.source} {_told(other)} where {taken.source} {_told(taken)}"


def _dearer(other: Candidate, taken: Candidate) -> bool:
    known = other.figure is not None and taken.figure is not None
    return known and (other.figure or 0) > (taken.figure or 0) and other.row < taken.row


def _told(candidate: Candidate) -> str:
    verb = "costs" if candidate.measured is None else "was measured at"
    return f"{verb} {candidate.figure or 0:.0f}"


def refusals(
    graph: Graph, node: Node, op: Op, kernel: Kernel, features: frozenset[str]
) -> Iterator[str]:
    """Why this kernel cannot compute this node; nothing when it can.

    A row's `when`, which may take a while, is asked last, and only of a core and types it is for.
    """
    bound, _ = bind_domains(graph, node, op)
    first = next(iter(bound.values()), None)
    missing, unwanted = set(kernel.requires) - features, set(kernel.excludes) & features
    if missing:
        yield f"needs {', '.join(sorted(missing))}"
    if unwanted:
        yield f"is not for cores with {', '.join(sorted(unwanted))}"
    foreign = kernel.dtypes and first not in kernel.dtypes
    if foreign:
        yield f"takes {', '.join(map(str, kernel.dtypes))}"
    if missing or unwanted or foreign or kernel.when is None:
        return
    if not kernel.when(view(graph, node, op)):
        yield "does not take such a node"


def kernel_dtypes(op: Op, kernel: Kernel) -> Iterator[dict[str, DType]]:
    """Every binding of the op's domain variables that the kernel takes."""
    choices = [list(dtypes) for dtypes in op.domains.values()]
    if choices and kernel.dtypes:
        choices[0] = [dtype for dtype in choices[0] if dtype in kernel.dtypes]
    for dtypes in itertools.product(*choices):
        yield dict(zip(op.domains, dtypes, strict=True))
