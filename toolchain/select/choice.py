"""Which kernels can compute a node, which of them does, and why not another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolchain.ir import Candidate, Graph, KernelChoice, Node
from toolchain.op.kernel import Refused, planned
from toolchain.op.node import view
from toolchain.op.typed import TypedOp


@dataclass(frozen=True)
class Preferences:
    """What the user says about the choice."""

    prefer: str = ""  # the kernel that is taken where they fit, whatever they cost
    # node -> kernel -> what a rig measured; of these nodes no declared cost counts
    measured: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    candidate: int | None = None  # for `tune`: this one of the kernels that fit, or the last


NO_PREFERENCES = Preferences()


def choose(
    graph: Graph,
    node: Node,
    op: TypedOp,
    features: frozenset[str],
    preferences: Preferences = NO_PREFERENCES,
) -> KernelChoice:
    """The best of the kernels that fit features and the node."""
    found = candidates(graph, node, op, features, preferences)
    return chosen(op, found, best(found))


def candidates(
    graph: Graph,
    node: Node,
    op: TypedOp,
    features: frozenset[str],
    preferences: Preferences = NO_PREFERENCES,
) -> tuple[Candidate, ...]:
    """Every kernel of the op as it stands for this node, in the declared order."""
    seen, measured = view(graph, node, op), preferences.measured.get(node.name, {})
    found = []
    for index, kernel in enumerate(op.kernels):
        preferred = kernel.name == preferences.prefer
        plan = planned(seen, kernel, features)
        if isinstance(plan, Refused):
            found.append(Candidate(kernel.name, index, plan.reason, preferred=preferred))
            continue
        refused = ""
        if plan.inexact and not preferred:
            refused = f"not exact ({plan.inexact}), and no prefer= names it"
        cost = None if refused or kernel.cost is None else kernel.cost(seen)
        figure = None if refused else measured.get(kernel.name)
        found.append(
            Candidate(
                kernel.name,
                index,
                refused,
                plan.inexact,
                cost,
                figure,
                preferred,
                plan.growth,
                None if refused else plan,
            )
        )
    return tuple(found) if preferences.candidate is None else _only(found, preferences.candidate)


def _only(found: Sequence[Candidate], number: int) -> tuple[Candidate, ...]:
    """The kernels with one preferred: of this number among those that fit, or the last of them."""
    fitting = [candidate.index for candidate in found if not candidate.refused]
    taken = fitting[min(number, len(fitting) - 1)]
    return tuple(replace(each, preferred=each.index == taken) for each in found)


def best(found: Sequence[Candidate]) -> Candidate:
    """The kernel that computes the node: a preferred one, else the cheapest.

    A kernel goes before an earlier one only where both costs are known and its own is lower. Those
    that grow weights are bought later, unless they are preferred.
    """
    fitting = [c for c in found if not c.refused and (c.preferred or c.growth <= 0)]
    assert fitting, "the last kernel refuses a node"  # check_op forbids it
    first, *others = [c for c in fitting if c.preferred] or fitting
    for other in others:
        if other.figure is not None and first.figure is not None and other.figure < first.figure:
            first = other
    return first


def chosen(op: TypedOp, found: Sequence[Candidate], taken: Candidate) -> KernelChoice:
    """The choice of this candidate, with what speaks against each that comes before it."""
    kernel = op.kernels[taken.index]
    reasons = [reason for other in found for reason in _against(other, taken)]
    why = "; ".join(reasons) or "first choice"
    types = tuple(op.variant.types.items())
    return KernelChoice(op.symbol(kernel), kernel.name, taken.index, types, why, tuple(found))


def _against(other: Candidate, taken: Candidate) -> Iterator[str]:
    """The reason against another kernel, for the report."""
    if other == taken:
        if taken.preferred:
            yield f"prefer= names {taken.name}"
    elif other.index < taken.index and other.refused:
        yield f"{other.name}: {other.refused}"
    elif other.index < taken.index and other.growth > taken.growth and not taken.preferred:
        yield f"{other.name} grows weights by {other.growth} bytes"
    elif not other.refused and not taken.preferred and _dearer(other, taken):
        yield f"{other.name} {_told(other)} where {taken.name} {_told(taken)}"


def _dearer(other: Candidate, taken: Candidate) -> bool:
    known = other.figure is not None and taken.figure is not None
    return known and (other.figure or 0) > (taken.figure or 0) and other.index < taken.index


def _told(candidate: Candidate) -> str:
    verb = "costs" if candidate.measured is None else "was measured at"
    return f"{verb} {candidate.figure or 0:.0f}"
