"""Conflicts: for any two blocks that live at once, the forbidden distances between them.

All sizes, offsets and distances here are in units of UNIT bytes; addresses are multiples of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.op.describe import Op
from opsmith.op.fields import members
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Kernel
from opsmith.op.node import named_inputs, view
from opsmith.op.overlap import Distance
from opsmith.schedule.memory.blocks import UNIT, Block, BlockPart, kept_by_loops

MOST_MEETINGS = 1_000_000  # pairs of parts that live at once; conflicts of more are not listed

Distances = Mapping[tuple[str, str], Distance]  # (input, output) of one node -> how close


class Conflict(NamedTuple):
    """The block may not start strictly between `low` and `high`, relative to the other's start."""

    other: int
    low: int
    high: int


class Life(NamedTuple):
    """Units of a block, and the nodes between which they live; those at one node add up."""

    block: int
    first: int
    last: int
    units: int


class LiveSection(NamedTuple):
    """The blocks that live at one node, their units, and how much an output may share."""

    units: tuple[tuple[int, int], ...]
    saved: int


@dataclass(frozen=True)
class PlacementProblem:
    """The placement problem of one memory.

    Nearly all conflicts are of blocks that must not share a unit: their sizes say how far apart.
    """

    sizes: tuple[int, ...]
    apart: Sequence[Sequence[int]]  # of each block: those that it must not share a unit with
    near: Sequence[Sequence[Conflict]]  # of each block: its conflicts with the others that it meets
    lives: tuple[Life, ...]
    saved: Mapping[int, int]  # by node, the units that its output may share with its inputs
    alive: tuple[tuple[int, int], ...] = ()  # of each block: its first and last node
    listed: bool = True  # else conflicts are too many, and only `alive` says which blocks meet

    @cached_property
    def bound(self) -> int:
        """The lower bound for any placement: what lives at once."""
        return _bound(self.lives, self.saved)

    @cached_property
    def sections(self) -> tuple[LiveSection, ...]:
        """Sections at the nodes where a block begins to live, each with all that lives there; most
        peaks are at one of them.
        """
        begins: dict[int, list[Life]] = {}
        for life in self.lives:
            begins.setdefault(life.first, []).append(life)
        alive: list[Life] = []
        found = []
        for node in sorted(begins):
            alive = [life for life in alive if life.last >= node] + begins[node]
            units = tuple((life.block, life.units) for life in alive)
            found.append(LiveSection(units, self.saved.get(node, 0)))
        return tuple(found)

    def others(self, block: int) -> list[int]:
        """Blocks that have a conflict with this block."""
        return [*self.apart[block], *(conflict.other for conflict in self.near[block])]


def problem(blocks: Sequence[Block], distances: Distances, gap: int = 0) -> PlacementProblem:
    """The placement problem of these blocks, with `gap` units after each of them that nothing has.

    Only an output may come nearer to an input, as its kernel allows.
    """
    sizes = tuple(_units(block.bytes) + gap for block in blocks)
    lives, saved = _lives(blocks), _saved(blocks, distances)
    if _meetings(blocks) > MOST_MEETINGS:
        ends = tuple((block.first, block.last) for block in blocks)
        return PlacementProblem(sizes, (), (), lives, saved, ends, listed=False)
    whole = [len(block.parts) == 1 and size > 0 for block, size in zip(blocks, sizes, strict=True)]
    read = _read(distances)
    apart: list[list[int]] = [[] for _ in blocks]
    near: list[list[Conflict]] = [[] for _ in blocks]
    for alive, (j, q) in _arrivals(blocks):
        inputs = read.get(q.name, ())
        for i, p in alive:
            if whole[i] and whole[j] and p.name not in inputs:
                apart[i].append(j)
                apart[j].append(i)
            elif i != j:
                shift = _units(p.offset) - _units(q.offset)
                for low, high in _forbidden(p, q, distances, gap):
                    near[j].append(Conflict(i, low + shift, high + shift))
                    near[i].append(Conflict(j, -(high + shift), -(low + shift)))
    return PlacementProblem(sizes, apart, near, lives, saved)


def lower_bound(blocks: Sequence[Block], distances: Distances) -> int:
    """Return the bound of their placement problem, without that problem's conflicts."""
    return _bound(_lives(blocks), _saved(blocks, distances))


def _bound(lives: Sequence[Life], saved: Mapping[int, int]) -> int:
    """The most units that are needed at a node where something begins to live."""
    growth: Counter[int] = Counter()
    for _, first, last, units in lives:
        growth[first] += units
        growth[last + 1] -= units
    nodes = sorted(growth)
    live = dict(zip(nodes, accumulate(growth[node] for node in nodes), strict=True))
    return max((live[life.first] - saved.get(life.first, 0) for life in lives), default=0)


def overlaps(graph: Graph, ops: OpIndex) -> Distances:
    """Return how close the output of each node may come to each of its inputs.

    Where several inputs could be overlapped, all walks are forward: a node has one direction.
    """
    found: dict[tuple[str, str], Distance] = {}
    kept = _kept_rows(graph) | kept_by_loops(graph)
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
        asked: dict[str, list[Distance]] = {}
        for value, name in read:
            asked.setdefault(name, []).append(given.get(value, Distance()))
        for name, each in asked.items():
            if name in kept:
                continue
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


def _read(distances: Distances) -> dict[str, set[str]]:
    """Output -> the inputs that it may come near to."""
    read: dict[str, set[str]] = {}
    for x, y in distances:
        read.setdefault(y, set()).add(x)
    return read


def _meetings(blocks: Sequence[Block]) -> int:
    """Pairs of parts that live at once: of each part, those that began before it and live on."""
    parts = [part for block in blocks for part in block.parts]
    ends = sorted(part.last for part in parts)
    begins = sorted(part.first for part in parts)
    return sum(began - bisect_left(ends, first) for began, first in enumerate(begins))


def _arrivals(
    blocks: Sequence[Block],
) -> Iterator[tuple[list[tuple[int, BlockPart]], tuple[int, BlockPart]]]:
    """Yield each part, in the order in which they begin to live, after those before it that live
    then.
    """
    parts = sorted(
        ((i, part) for i, block in enumerate(blocks) for part in block.parts),
        key=lambda each: (each[1].first, each[0]),
    )
    alive: list[tuple[int, BlockPart]] = []
    for first, arriving in groupby(parts, key=lambda each: each[1].first):
        alive = [other for other in alive if other[1].last >= first]
        for each in arriving:
            yield alive, each
            alive.append(each)


def _forbidden(
    p: BlockPart, q: BlockPart, distances: Distances, gap: int = 0
) -> list[tuple[int, int]]:
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


def _lives(blocks: Sequence[Block]) -> tuple[Life, ...]:
    return tuple(Life(i, *life) for i, block in enumerate(blocks) for life in _covered(block))


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


def _shared(p: BlockPart, q: BlockPart, distances: Distances) -> int:
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
    bounds = [(_units(p.offset), _units(p.offset) + _units(p.bytes)) for p in block.parts]
    cuts = sorted({cut for bound in bounds for cut in bound})
    place = {cut: i for i, cut in enumerate(cuts)}
    changes: dict[int, list[tuple[int, int, int]]] = {}  # node -> pieces from, to, parts more
    for part, (low, high) in zip(block.parts, bounds, strict=True):
        changes.setdefault(part.first, []).append((place[low], place[high], 1))
        changes.setdefault(part.last + 1, []).append((place[low], place[high], -1))
    covered, units = [0] * len(cuts), 0  # of each piece between two cuts: parts that cover it
    for start, stop in pairwise(sorted(changes)):
        for low, high, more in changes[start]:
            for i in range(low, high):
                covered[i] += more
                if covered[i] == (more > 0):
                    units += more * (cuts[i + 1] - cuts[i])
        yield start, stop - 1, units
