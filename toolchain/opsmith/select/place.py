"""Placement of each node on the processor or on the runtime's device.

On each side a node has its cheapest kernel there. Times of kernels in nanoseconds, and of transfers
between the sides, come from the runtime and the board (`board/device.py`, `clock.py`). `prefer=`,
`affinity=` and `require_gpu=` leave a node no choice. Postcondition: every node has a kernel of its
side, and kernels of the other side are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from opsmith.board.device import PROCESSOR, Device, shown_ns
from opsmith.ir import Candidate, Graph, KernelChoice, Node, Side
from opsmith.op.alias import aliases
from opsmith.op.index import OpIndex
from opsmith.select.cheapest_sides import cheapest_sides
from opsmith.select.choice import AFFINITY, best, chosen, refusals
from opsmith.select.clock import Clock
from opsmith.select.graph_work import Times, graph_work
from opsmith.select.sides import CPU, DEVICE, margins


@dataclass(frozen=True)
class _Options:
    """Kernels and times of a node on each side that it can run on."""

    kernels: Mapping[int, Candidate]  # for each available side, its best kernel
    times: Times
    free: bool  # the node only computes addresses
    forced: str = ""  # reason why the user leaves no choice

    def nearest(self, side: int) -> int:
        """Side on which a node runs if its data is on `side`: that side, or the other where the
        node has no kernel on it.
        """
        return side if side in self.kernels else 1 - side

    def on(self, side: int, why: str) -> _Options:
        """Options of the node on `side` alone, forced by `why`."""
        times = (self.times[CPU], None) if side == CPU else (None, self.times[DEVICE])
        return replace(self, kernels={side: self.kernels[side]}, times=times, forced=why)


def place(
    graph: Graph, ops: OpIndex, device: Device, *, require: bool = False, unit: str = ""
) -> Graph:
    """Return the graph with each node on a side, so that all nodes together take the least time.

    With `require`, nodes run on the device wherever they can. `unit` is that of measurements.
    """
    options = [_options(graph, node, ops, device, unit, require=require) for node in graph.nodes]
    free = [each.free for each in options]
    times = [(0, 0) if each.free else each.times for each in options]
    work = graph_work(graph, ops, device, times, free)
    sides = cheapest_sides(work)
    extra = margins(work, sides)
    nodes = []
    for node, each, side, margin in zip(graph.nodes, options, sides, extra, strict=True):
        placed = _side(_choice(node), each, each.nearest(side), margin, device)
        others = [_refused(candidate, placed) for candidate in _choice(node).candidates]
        kernel = chosen(ops.of(graph, node), others, each.kernels[each.nearest(side)])
        nodes.append(replace(node, kernel=replace(kernel, side=placed)))
    return replace(graph, nodes=tuple(nodes))


def _choice(node: Node) -> KernelChoice:
    assert node.kernel is not None
    return node.kernel


def _options(
    graph: Graph, node: Node, ops: OpIndex, device: Device, unit: str, *, require: bool
) -> _Options:
    """Return the best kernel of each side, or of only the side that the user demands."""
    choice, op = _choice(node), ops.of(graph, node)
    clock = Clock(graph, node, op, device, unit)
    fitting = [each for each in choice.candidates if _fits(each)]
    on = {side: [each for each in fitting if _side_of(each) == side] for side in (CPU, DEVICE)}
    kernels = {side: best(found) for side, found in on.items() if found}
    ns = {side: clock.ns(kernel) for side, kernel in kernels.items()}
    free = bool(aliases(graph, node, op))
    options = _Options(kernels, (ns.get(CPU), ns.get(DEVICE)), free)
    wanted = next((each for each in kernels.values() if each.preferred), None)
    if wanted is not None:
        return options.on(_side_of(wanted), f"prefer= names {wanted.name}")
    if any(each.refused == AFFINITY for each in choice.candidates):
        (side,) = kernels
        return options.on(side, "affinity= names it")
    if require and DEVICE in kernels:
        return options.on(DEVICE, "require_gpu=1")
    return options


def _fits(candidate: Candidate) -> bool:
    """True if a candidate can be used without paying for larger weights."""
    return not candidate.refused and (candidate.preferred or candidate.growth <= 0)


def _side_of(candidate: Candidate) -> int:
    return DEVICE if candidate.device else CPU


def _side(
    choice: KernelChoice, options: _Options, side: int, margin: int | None, device: Device
) -> Side:
    """Return the side of a node, with the reason."""
    names, ns = (PROCESSOR, device.name), options.times[side] or 0
    other = options.times[1 - side]
    if options.forced:
        why = options.forced
    elif other is None:
        reasons = refusals(each for each in choice.candidates if _side_of(each) != side)
        why = f"no kernel for {names[1 - side]}{': ' if reasons else ''}{reasons}"
    elif margin is None:
        why = "on the side of its neighbours: it may only rename memory, which takes no time"
    else:
        borders = margin - (other - ns)
        why = f"{shown_ns(ns)} here, {shown_ns(other)} on {names[1 - side]}"
        more = f"{shown_ns(abs(borders))} {'more' if borders > 0 else 'less'}"
        why += f", where borders take {more}" if borders else ""
    return Side(names[side], why, ns)


def _refused(candidate: Candidate, side: Side) -> Candidate:
    """Candidate as it is, or refused for the rest of the build if of the other side."""
    if candidate.refused or (candidate.device or PROCESSOR) == side.name:
        return candidate
    return replace(candidate, refused=f"the node runs on {side.name}: {side.why}", plan=None)
