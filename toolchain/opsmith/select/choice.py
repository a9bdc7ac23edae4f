"""Kernels that can compute a node, the chosen one, and reasons against the rest."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache, partial

from opsmith.board.device import PROCESSOR
from opsmith.ir import Candidate, Graph, KernelChoice, Node
from opsmith.op.kernel import Kernel, Plan, Refused, of_other_runtime, plan_of, unavailable
from opsmith.op.node import view
from opsmith.op.typed import TypedOp
from opsmith.op.view import NodeView


@dataclass(frozen=True)
class Preferences:
    """User's preferences for the choice of kernels."""

    prefer: str = ""  # kernel to take wherever it fits, at any cost
    # node -> kernel -> what a rig measured; of these nodes no declared cost counts
    measured: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    unit: str = ""  # unit of the measurements
    candidate: int | None = None  # for `tune`: number of the fitting kernel to take
    # pattern of nodes' names -> the side that they run on, where a kernel of theirs does; of
    # several patterns that fit the last counts
    affinity: tuple[tuple[str, str], ...] = ()

    def side_of(self, node: str) -> str | None:
        """Side that the user prefers for a node, if any."""
        return next((s for names, s in reversed(self.affinity) if fnmatchcase(node, names)), None)


NO_PREFERENCES = Preferences()
AFFINITY = "affinity= names the other side"
Choose = Callable[[Graph, Node, TypedOp, frozenset[str], Preferences], KernelChoice]
Judge = Callable[[Kernel, int, NodeView, Preferences], list[Candidate]]


def choose(
    graph: Graph,
    node: Node,
    op: TypedOp,
    features: frozenset[str],
    preferences: Preferences = NO_PREFERENCES,
    judge: Judge | None = None,
) -> KernelChoice:
    """Return the choice of the best kernel that fits the features and the node."""
    found = candidates(graph, node, op, features, preferences, judge)
    return chosen(op, found, best(found))


def choose_once() -> Choose:
    """Return `choose` with a memory, for graphs of one build that share most nodes: kernels are
    judged once for a node, and an equal node of another graph gets the same choice.
    """
    known: dict[str, list[tuple[NodeView, KernelChoice]]] = {}

    def chosen_before(
        graph: Graph,
        node: Node,
        op: TypedOp,
        features: frozenset[str],
        preferences: Preferences = NO_PREFERENCES,
    ) -> KernelChoice:
        seen, before = view(graph, node, op), known.setdefault(node.name, [])
        for each, choice in before:
            if _same(each, seen):
                return choice
        found = choose(graph, node, op, features, preferences)
        before.append((seen, found))
        return found

    return chosen_before


def choose_on_cores() -> Choose:
    """`choose` for one graph on several cores, which plans a node with a kernel only once."""
    known: dict[tuple[str, int], list[Candidate]] = {}

    def once(
        kernel: Kernel, index: int, seen: NodeView, preferences: Preferences
    ) -> list[Candidate]:
        if (key := (seen.name, index)) not in known:
            known[key] = _judged(kernel, index, seen, preferences)
        return known[key]

    return partial(choose, judge=once)


def _same(one: NodeView, other: NodeView) -> bool:
    """True if two views of a node are equal, with identical attributes, which may be arrays."""
    mine, theirs = one.attributes, other.attributes
    mine_too = one.op, one.tensors, one.reversed, one.numerics
    alike = mine_too == (other.op, other.tensors, other.reversed, other.numerics)
    return alike and mine.keys() == theirs.keys() and all(mine[n] is theirs[n] for n in mine)


def candidates(
    graph: Graph,
    node: Node,
    op: TypedOp,
    features: frozenset[str],
    preferences: Preferences = NO_PREFERENCES,
    judge: Judge | None = None,
) -> tuple[Candidate, ...]:
    """Judge every kernel of the op for a node, in the order of the kernels.

    A kernel whose work-groups are tuned, or were measured, appears once for each group size.
    """
    seen, judge, found = view(graph, node, op), judge or _judged, list[Candidate]()
    for index, kernel in enumerate(op.kernels):
        if (absent := unavailable(kernel, features)) is None:
            found += _paced(judge(kernel, index, seen, preferences), kernel.pace(features))
        else:
            said = (*_named(kernel, index, preferences), str(absent.reason))
            found.append(_refused(*said, True, of_other_runtime(kernel, features)))
    found = _on_side(found, preferences.side_of(node.name))
    return tuple(found) if preferences.candidate is None else _only(found, preferences.candidate)


def _paced(found: list[Candidate], pace: float) -> list[Candidate]:
    """Candidates at `pace` times their costs."""
    if pace == 1:
        return found
    return [each if each.cost is None else replace(each, cost=pace * each.cost) for each in found]


def _judged(
    kernel: Kernel, index: int, seen: NodeView, preferences: Preferences
) -> list[Candidate]:
    """Candidate for a kernel that core and runtime can run; one for each group size if tuned."""
    name, _, preferred, device = named = _named(kernel, index, preferences)
    plan, measured = plan_of(kernel, seen), preferences.measured.get(seen.name, {})
    if isinstance(plan, Refused):
        return [_refused(*named, str(plan.reason), seen.numerics not in kernel.numerics, False)]
    refused = ""
    if plan.inexact and not preferred:
        refused = f"not exact ({plan.inexact}), and no prefer= names it"
    tuned = bool(measured and not preferences.prefer) or preferences.candidate is not None
    cost = None if refused or kernel.cost is None else kernel.cost(seen) + plan.more
    return [
        Candidate(
            f"{name}{suffix}",
            index,
            refused,
            plan.inexact,
            cost,
            None if refused else measured.get(f"{name}{suffix}"),
            preferred,
            device,
            plan.growth,
            None if refused else each,
        )
        for suffix, each in _in_groups(plan, tuned=tuned and not refused)
    ]


def _named(kernel: Kernel, index: int, preferences: Preferences) -> tuple[str, int, bool, str]:
    """Name and index of a kernel, whether the user prefers it, and the device that it runs on."""
    device = "" if kernel.emitter is None else kernel.emitter.backend
    return kernel.name, index, kernel.name == preferences.prefer, device


@lru_cache(maxsize=4096)  # most nodes of an op refuse the same kernels, hence the cache
def _refused(
    name: str, index: int, preferred: bool, device: str, reason: str, absent: bool, elsewhere: bool
) -> Candidate:
    candidate = Candidate(name, index, reason, preferred=preferred, device=device)
    return replace(candidate, absent=absent, elsewhere=elsewhere)


def _in_groups(plan: Plan, *, tuned: bool) -> Iterator[tuple[str, Plan]]:
    """Plan with suffix "", and of a tuned kernel one for each further group size, with suffix."""
    yield "", plan
    if tuned and plan.work is not None:
        for group in plan.work.others:
            work = replace(plan.work, group=group)
            yield f"@{'x'.join(map(str, group))}", replace(plan, work=work)


def _on_side(found: list[Candidate], side: str | None) -> list[Candidate]:
    """Candidates without those of the other side, which are refused, if a kernel fits on `side`."""
    here = [(each.device or PROCESSOR) == side for each in found]
    if not any(ours and not each.refused for ours, each in zip(here, found, strict=True)):
        return found
    return [
        each if ours or each.refused else replace(each, refused=AFFINITY, plan=None)
        for ours, each in zip(here, found, strict=True)
    ]


def _only(found: Sequence[Candidate], number: int) -> tuple[Candidate, ...]:
    """Candidates with one marked as preferred: the Nth that fits, or the last that fits."""
    fitting = [candidate for candidate in found if not candidate.refused]
    taken = fitting[min(number, len(fitting) - 1)]
    return tuple(replace(each, preferred=each is taken) for each in found)


def best(found: Sequence[Candidate]) -> Candidate:
    """Return the best candidate for the node: a preferred one, else the cheapest.

    A later kernel wins over an earlier one only where both costs are known and its own is lower.
    Kernels that grow weights are bought later, unless they are preferred.
    """
    fitting = [c for c in found if not c.refused and (c.preferred or c.growth <= 0)]
    assert fitting, "the last kernel refuses a node"  # check_op has made sure
    first, *others = [c for c in fitting if c.preferred] or fitting
    for other in others:
        if other.figure is not None and first.figure is not None and other.figure < first.figure:
            first = other
    return first


def chosen(op: TypedOp, found: Sequence[Candidate], taken: Candidate) -> KernelChoice:
    """Return the choice of a candidate with its reasons: that it costs least, or reasons against
    earlier candidates, and why these were refused.
    """
    kernel = op.kernels[taken.index]
    if taken.preferred:
        reasons = [f"prefer= names {taken.name}"]
    else:
        reasons = [*_least(found, taken)] or [*_against(found, taken)]
    reasons += _refused_before(found, taken)
    types = tuple(op.variant.types.items())
    why = "; ".join(reasons or _of_others(found, taken))
    return KernelChoice(op.symbol(kernel), taken.name, taken.index, types, why, tuple(found))


def refusals(found: Iterable[Candidate]) -> str:
    """Return reasons why kernels are refused, as text; kernels for elsewhere are left out."""
    refused = (each for each in found if each.refused and not each.elsewhere)
    return "; ".join(f"{each.name}: {each.refused}" for each in refused)


def _least(found: Sequence[Candidate], taken: Candidate) -> Iterator[str]:
    """Yield that the candidate costs less than every other that fits and whose cost is known."""
    others = _fitting(found, taken)
    known = [each for each in others if each.figure is not None]
    following = min(known, key=lambda each: each.figure or 0, default=None)
    if following and taken.figure is not None and (following.figure or 0) > taken.figure:
        unit = "nanoseconds" if taken.device else "cycles"
        least = f"fewest {unit}" if taken.measured is None else "lowest measured"
        count = f"of {len(others) + 1} kernels that fit"
        also = f"where {following.name} takes {following.figure:,.0f}"
        yield f"{least} {count}: about {taken.figure:,.0f}, {also}"


def _against(found: Sequence[Candidate], taken: Candidate) -> Iterator[str]:
    """Yield reasons against the other candidates that fit."""
    for other in _fitting(found, taken):
        if other.growth > taken.growth and (other.index < taken.index or taken.growth < 0):
            yield f"{other.name} grows weights by {other.growth - taken.growth} bytes"
        elif _dearer(other, taken):
            yield f"{other.name} {_figure(other)} where {taken.name} {_figure(taken)}"


def _refused_before(found: Sequence[Candidate], taken: Candidate) -> Iterator[str]:
    """Yield reasons why earlier candidates are refused, each reason once."""
    names: dict[str, list[str]] = {}
    for each in found:
        if each.refused and not each.absent and each.index < taken.index:
            names.setdefault(each.refused, []).append(each.name)
    for reason, refused in names.items():
        yield f"{', '.join(refused)}: {reason}"


def _of_others(found: Sequence[Candidate], taken: Candidate) -> list[str]:
    others = _fitting(found, taken)
    which = "first" if all(each.index >= taken.index for each in others) else "one"
    return [
        f"{which} of {len(others) + 1} kernels that fit" if others else "the only kernel that fits"
    ]


def _fitting(found: Sequence[Candidate], taken: Candidate) -> list[Candidate]:
    return [each for each in found if not each.refused and each != taken]


def _dearer(other: Candidate, taken: Candidate) -> bool:
    known = other.figure is not None and taken.figure is not None
    return known and (other.figure or 0) > (taken.figure or 0) and other.index < taken.index


def _figure(candidate: Candidate) -> str:
    verb = "costs" if candidate.measured is None else "was measured at"
    return f"{verb} {candidate.figure or 0:.0f}"
