"""Conflicts: forbidden distances between any two blocks that live at once.

All sizes, offsets and distances here are in units of UNIT bytes; addresses are multiples of UNIT.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from opsmith.schedule.memory.blocks import UNIT, Block, BlockPart
from opsmith.schedule.memory.overlaps import Distances, RowDistance

MOST_MEETINGS = 1_000_000  # pairs of parts alive together; beyond, conflicts are not listed


class Conflict(NamedTuple):
    """A conflict: a block may not start strictly between `low` and `high`, relative to `other`."""

    other: int
    low: int
    high: int


class Life(NamedTuple):
    """Units of a block while it lives at a run of nodes; units of one node add up."""

    block: int
    first: int
    last: int
    units: int


class LiveSection(NamedTuple):
    """Blocks that live at one node, with their units, and how much an output may share."""

    units: tuple[tuple[int, int], ...]
    saved: int


@dataclass(frozen=True)
class PlacementProblem:
    """Placement problem of one memory.

    Nearly all conflicts are of blocks that must not share a unit: their sizes give the distance.
    """

    sizes: tuple[int, ...]
    apart: Sequence[Sequence[int]]  # for each block: blocks that must not share a unit with it
    near: Sequence[Sequence[Conflict]]  # for each block: its conflicts with others
    lives: tuple[Life, ...]
    saved: Mapping[int, int]  # for each node: units that its output may share with its inputs
    alive: tuple[tuple[int, int], ...] = ()  # for each block: its first and last node
    listed: bool = True  # False if conflicts are too many, so that only `alive` tells them

    @cached_property
    def bound(self) -> int:
        """Lower bound in units for any placement: the most that lives at once."""
        return _bound(self.lives, self.saved)

    @cached_property
    def sections(self) -> tuple[LiveSection, ...]:
        """Sections at the nodes where a block begins to live, each with all blocks alive there;
        most peaks are at one of these nodes.
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
        """Blocks that conflict with a block."""
        return [*self.apart[block], *(conflict.other for conflict in self.near[block])]


def problem(blocks: Sequence[Block], distances: Distances, gap: int = 0) -> PlacementProblem:
    """Placement problem of blocks, with `gap` unused units after each block.

    Only an output may lie nearer to an input, as its kernel allows.
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
    """Return the lower bound in units of a placement problem, without building its conflicts."""
    return _bound(_lives(blocks), _saved(blocks, distances))


def _bound(lives: Sequence[Life], saved: Mapping[int, int]) -> int:
    """Most units that are needed at any node where a block begins to live."""
    growth: Counter[int] = Counter()
    for _, first, last, units in lives:
        growth[first] += units
        growth[last + 1] -= units
    nodes = sorted(growth)
    live = dict(zip(nodes, accumulate(growth[node] for node in nodes), strict=True))
    return max((live[life.first] - saved.get(life.first, 0) for life in lives), default=0)


def _units(size: int) -> int:
    return -(-size // UNIT)


def _read(distances: Distances) -> dict[str, set[str]]:
    """Inputs to which each output may lie near, by output."""
    read: dict[str, set[str]] = {}
    for x, y in distances:
        read.setdefault(y, set()).add(x)
    return read


def _meetings(blocks: Sequence[Block]) -> int:
    """Number of pairs of parts that live at once."""
    parts = [part for block in blocks for part in block.parts]
    ends = sorted(part.last for part in parts)
    begins = sorted(part.first for part in parts)
    return sum(began - bisect_left(ends, first) for began, first in enumerate(begins))


def _arrivals(
    blocks: Sequence[Block],
) -> Iterator[tuple[list[tuple[int, BlockPart]], tuple[int, BlockPart]]]:
    """Yield each part, in the order of its birth, after the earlier parts that still live then."""
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
    """Return the forbidden open interval of distances from p to q, where q begins to live later."""
    low, high = -_units(q.bytes) - gap, _units(p.bytes) + gap
    distance = distances.get((p.name, q.name))
    meets = p.last == q.first or isinstance(distance, RowDistance)
    if distance is not None and meets and p.first < q.first:
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
    """Return, by node, the most units that its output can share with its inputs, and that a whole
    tensor can share with one that is computed from it by rows.

    Inputs are disjoint, so the sum is at most the size of the output.
    """
    parts = {part.name: part for block in blocks for part in block.parts}
    shared: Counter[tuple[str, int]] = Counter()
    for (x, y), distance in distances.items():
        if x in parts and y in parts:
            p, q = parts[x], parts[y]
            while_rows = range(q.first, p.last + 1) if isinstance(distance, RowDistance) else ()
            for node in while_rows or ([q.first] if p.last == q.first else []):
                shared[y, node] += _shared(p, q, distances)
    saved: Counter[int] = Counter()
    for (y, node), units in shared.items():
        saved[node] += min(units, _units(parts[y].bytes))
    return dict(saved)


def _shared(p: BlockPart, q: BlockPart, distances: Distances) -> int:
    """Return the most units that q can share with p, which dies at the node that writes q."""
    x, y = _units(p.bytes), _units(q.bytes)
    inside = (min(0, x - y), max(0, x - y))  # between these the larger one contains the smaller
    forbidden = _forbidden(p, q, distances)
    near = [*inside, *(distance for each in forbidden for distance in each)]
    allowed = [d for d in near if not any(low < d < high for low, high in forbidden)]
    return max(max(0, min(x, d + y) - max(0, d)) for d in allowed)


def _covered(block: Block) -> Iterator[tuple[int, int, int]]:
    """Split a block into (first node, last node, units), so that units of one node add up."""
    if len(block.parts) == 1:
        part = block.parts[0]
        yield part.first, part.last, _units(part.bytes)
        return
    bounds = [(_units(p.offset), _units(p.offset) + _units(p.bytes)) for p in block.parts]
    cuts = sorted({cut for bound in bounds for cut in bound})
    place = {cut: i for i, cut in enumerate(cuts)}
    changes: dict[int, list[tuple[int, int, int]]] = {}  # node -> first piece, end, parts added
    for part, (low, high) in zip(block.parts, bounds, strict=True):
        changes.setdefault(part.first, []).append((place[low], place[high], 1))
        changes.setdefault(part.last + 1, []).append((place[low], place[high], -1))
    covered, units = [0] * len(cuts), 0  # parts that cover each piece between cuts
    for start, stop in pairwise(sorted(changes)):
        for low, high, more in changes[start]:
            for i in range(low, high):
                covered[i] += more
                if covered[i] == (more > 0):
                    units += more * (cuts[i + 1] - cuts[i])
        yield start, stop - 1, units
