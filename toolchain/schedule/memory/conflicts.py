"""Conflicts: for any two blocks that live at once, the forbidden distances between them.

All sizes, offsets and distances here are in units of UNIT bytes; addresses are multiples of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from toolchain.errors import ToolchainError
from toolchain.ir import Graph
from toolchain.op.describe import Op
from toolchain.op.discover import OpIndex
from toolchain.op.fields import members
from toolchain.op.kernel import Kernel
from toolchain.op.node import named_inputs, view
from toolchain.op.overlap import Distance
from toolchain.schedule.memory.blocks import UNIT, Block, Part

Distances = Mapping[tuple[str, str], Distance]  # (input, output) of one node -> how close


class Conflict(NamedTuple):
    """The block may not start strictly between `low` and `high`, relative to the other's start."""

    other: int
    low: int
    high: int


class Section(NamedTuple):
    """The blocks that live at one node, their units, and how much an output may share."""

    units: tuple[tuple[int, int], ...]
    saved: int

    @property
    def need(self) -> int:
        """The units needed at this node."""
        return sum(units for _, units in self.units) - self.saved


@dataclass(frozen=True)
class Problem:
    """The placement problem of one memory."""

    sizes: tuple[int, ...]
    conflicts: tuple[tuple[Conflict, ...], ...]  # of each block with others
    sections: tuple[Section, ...]

    @cached_property
    def bound(self) -> int:
        """The lower bound for any placement: what lives at once."""
        return _bound(self.sections)


def problem(blocks: Sequence[Block], distances: Distances, gap: int = 0) -> Problem:
    """The placement problem of these blocks, with `gap` units after each of them that nothing has.

    Only an output may come nearer to an input, as its kernel allows.
    """
    found: list[list[Conflict]] = [[] for _ in blocks]
    for (i, p), (j, q) in _meetings(blocks):
        shift = _units(p.offset) - _units(q.offset)
        for low, high in _forbidden(p, q, distances, gap) if i != j else ():
            found[j].append(Conflict(i, low + shift, high + shift))
            found[i].append(Conflict(j, -(high + shift), -(low + shift)))
    sizes = tuple(_units(block.bytes) + gap for block in blocks)
    return Problem(sizes, tuple(map(tuple, found)), tuple(_sections(blocks, distances)))


def lower_bound(blocks: Sequence[Block], distances: Distances) -> int:
    """Return the bound of their placement problem, without that problem's conflicts."""
    return _bound(_sections(blocks, distances))


def _bound(sections: Iterable[Section]) -> int:
    return max((section.need for section in sections), default=0)


def overlaps(graph: Graph, ops: OpIndex) -> Distances:
    """Return how close the output of each node may come to each of its inputs.

    Where several inputs could be overlapped, all walks are forward: a node has one direction.
    """
    found: dict[tuple[str, str], Distance] = {}
    kept = _kept_rows(graph)
    for node in graph.nodes:
        op = ops.of(graph, node)
        assert node.kernel is not None
        kernel, plan = op.kernels[node.kernel.index], node.kernel.plan
        if len(node.outputs) != 1:
            continue
        given = op.overlap_of(view(graph, node, op), plan, kernel)
        if any(distance.backward is not None for distance in given.values()):
            _must_reverse(op, kernel)
        read = [(value.name, name) for value, name in named_inputs(op, node) if name is not None]
        several = len({name for value, name in read if value in given}) > 1
        for name in dict.fromkeys(name for _, name in read if name not in kept):
            each = [given.get(value, Distance()) for value, other in read if other == name]
            x, y = graph.tensors[name].bytes, graph.tensors[node.outputs[0]].bytes
            forward = _largest([d.forward for d in each], -x, y)
            backward = None if several else _largest([d.backward for d in each], -y, x)
            in_place = all(d.in_place for d in each)
            found[name, node.outputs[0]] = Distance(forward, backward, in_place)
    return found


def _kept_rows(graph: Graph) -> set[str]:
    """Rows that outlive the node that reads them."""
    every = graph.stream.held if graph.stream is not None else ()
    return {name for held in every for name in (held.tensor, *held.views)}


def _must_reverse(op: Op, kernel: Kernel) -> None:
    if "reversed" not in {field.name for field in members(kernel.params)}:
        raise ToolchainError.of(
            "OPS062",
            f"overlap= offers to walk backward, but {kernel.params.__name__} has no 'reversed'",
            where=f"op '{op.name}', kernel '{kernel.path}'",
            fix="add `reversed: bool = False` to them and obey it, or offer forward only",
        )


def _largest(given: Sequence[int | None], low: int, high: int) -> int | None:
    """Return the distance that is safe for all, at most the one at which the two are disjoint."""
    known = [distance for distance in given if distance is not None]
    return min(max(*known, low), high) if len(known) == len(given) else None


def _units(size: int) -> int:
    return -(-size // UNIT)


def _meetings(blocks: Sequence[Block]) -> Iterator[tuple[tuple[int, Part], tuple[int, Part]]]:
    """Yield every two parts that live at the same node, the one that begins first, first."""
    parts = sorted(
        ((i, part) for i, block in enumerate(blocks) for part in block.parts),
        key=lambda each: (each[1].first, each[0]),
    )
    alive: list[tuple[int, Part]] = []
    for each in parts:
        alive = [other for other in alive if other[1].last >= each[1].first]
        yield from ((other, each) for other in alive)
        alive.append(each)


def _forbidden(p: Part, q: Part, distances: Distances, gap: int = 0) -> list[tuple[int, int]]:
    """Return the open interval of distances from p to q, which begins later, that is forbidden."""
    low, high = -_units(q.bytes) - gap, _units(p.bytes) + gap
    if p.last == q.first and p.first < q.first and (p.name, q.name) in distances:
        distance = distances[p.name, q.name]
        if distance.forward is not None:
            low = max(low, -_units(distance.forward))
        if distance.backward is not None:
            high = min(high, _units(distance.backward))
        if distance.in_place and low < 0 < high:
            return [each for each in ((low, 0), (0, high)) if each[0] + 1 < each[1]]
    return [(low, high)] if low + 1 < high else []


def _sections(blocks: Sequence[Block], distances: Distances) -> Iterator[Section]:
    """Return what lives at each node where a part begins to live; most peaks are at one of them."""
    begins: dict[int, list[tuple[int, int, int]]] = {}
    for i, block in enumerate(blocks):
        for first, last, size in _covered(block):
            begins.setdefault(first, []).append((i, last, size))
    saved = _saved(blocks, distances)
    alive: list[tuple[int, int, int]] = []
    for node in sorted(begins):
        alive = [each for each in alive if each[1] >= node] + begins[node]
        yield Section(tuple((i, size) for i, _, size in alive), saved.get(node, 0))


def _saved(blocks: Sequence[Block], distances: Distances) -> dict[int, int]:
    """Return, by node, the most units that its output can share with its inputs.

    The inputs are disjoint, so the sum is at most the size of the output.
    """
    parts = {part.name: part for block in blocks for part in block.parts}
    shared: dict[str, int] = {}
    for x, y in distances:
        if x in parts and y in parts and parts[x].last == parts[y].first:
            shared[y] = shared.get(y, 0) + _shared(parts[x], parts[y], distances)
    return {parts[y].first: min(units, _units(parts[y].bytes)) for y, units in shared.items()}


def _shared(p: Part, q: Part, distances: Distances) -> int:
    """Return the most units that q can share with p, which dies where q is written."""
    x, y = _units(p.bytes), _units(q.bytes)
    inside = (min(0, x - y), max(0, x - y))  # between these, the smaller is in the larger
    forbidden = _forbidden(p, q, distances)
    near = [*inside, *(distance for each in forbidden for distance in each)]
    allowed = [d for d in near if not any(low < d < high for low, high in forbidden)]
    return max(max(0, min(x, d + y) - max(0, d)) for d in allowed)


def _covered(block: Block) -> Iterator[tuple[int, int, int]]:
    """Split a block into (first node, last node, units) so that the units live at a node add up."""
    if len(block.parts) == 1:
        part = block.parts[0]
        yield part.first, part.last, _units(part.bytes)
        return
    times = sorted({t for part in block.parts for t in (part.first, part.last + 1)})
    for start, stop in pairwise(times):
        alive = [part for part in block.parts if part.first <= start <= part.last]
        end = units = 0
        for part in sorted(alive, key=lambda part: part.offset):
            high = _units(part.offset) + _units(part.bytes)
            units += max(0, high - max(end, _units(part.offset)))
            end = max(end, high)
        yield start, stop - 1, units
