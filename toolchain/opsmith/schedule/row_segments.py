"""Successive nodes that are worth running row by row: a first look, without kernels or plans.

While a segment runs, only rows of its tensors live, beside the whole tensors that it reads and
leaves; nodes outside need as much as before. Both sizes are known before kernels are chosen, so
that only a few segments need to be compiled and planned.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from opsmith.ir import Graph
from opsmith.op.index import OpIndex
from opsmith.schedule.memory.blocks import lifetimes
from opsmith.schedule.streaming.schedule import Schedule, Scheduled, rows_behind, schedule_from

LONGEST = 64  # nodes of a segment
MOST = 24  # segments that are compiled


@dataclass(frozen=True)
class Segment:
    """Nodes that could run row by row: the first `count` of a schedule, with their RAM and work."""

    found: Schedule
    count: int
    bytes: int  # approximate RAM
    work: float  # instructions of its nodes with whole tensors


def segments(
    graph: Graph, ops: OpIndex, needs: Sequence[int], costs: Sequence[float]
) -> list[Segment]:
    """Segments that no other betters in both RAM and work, least work first.

    `needs` has the bytes that each node needs with whole tensors, `costs` its instructions.
    """
    lives, whole = _Lives(graph), max(needs, default=0)
    peaks = [index for index, bytes in enumerate(needs) if bytes == whole]
    if not peaks:
        return []
    every = [
        segment
        for first in range(max(peaks[-1] - LONGEST + 1, 0), peaks[0] + 1)
        for segment in _from(graph, ops, first, needs, costs, lives)
        if segment.bytes < whole
    ]
    every.sort(key=lambda each: (each.work, each.bytes))
    front: list[Segment] = []
    for each in every:
        if not front or each.bytes < front[-1].bytes:
            front.append(each)
    step = -(-len(front) // MOST)
    return front[::-1][:: max(step, 1)][::-1]


class _Lives:
    """Lifetime in nodes and size in bytes of each tensor of a graph."""

    def __init__(self, graph: Graph) -> None:
        self.first, self.last = lifetimes(graph)
        self.bytes = {t.id: t.bytes for t in graph.tensors.values() if t.constant is None}

    def row_bytes(self, found: Schedule, name: str) -> int:
        """Size in bytes of a row of a streamed tensor."""
        return self.bytes[name] // found.timing[name].rows

    def across(self, first: int, end: int) -> set[str]:
        """Tensors that live from before a segment until after it."""
        return {n for n in self.bytes if self.first[n] < first and self.last[n] >= end}


def _from(
    graph: Graph,
    ops: OpIndex,
    first: int,
    needs: Sequence[int],
    costs: Sequence[float],
    lives: _Lives,
) -> Iterator[Segment]:
    found = schedule_from(graph, ops, first, LONGEST)
    before = max(needs[:first], default=0)
    after = [*[*accumulate(reversed(needs), max)][::-1], 0]
    work = 0.0
    for count, _ in enumerate(found.nodes, 1):
        end = first + count
        work += costs[end - 1]
        inside = _inside(graph, found, count, lives)
        yield Segment(found, count, max(before, inside, after[end]), work)


def _inside(graph: Graph, found: Schedule, count: int, lives: _Lives) -> int:
    """Bytes that live while a segment runs: whole tensors around it, and rows inside it."""
    chosen, end = found.nodes[:count], found.first + count
    read = {read.tensor for each in chosen for read in each.reads}
    whole = lives.across(found.first, end) | {name for name in found.images if name in read}
    whole |= {y for each in chosen if lives.last[y := each.node.outputs[0]] >= end}
    made = [name for each in chosen if (name := each.node.outputs[0]) in whole]
    gone = [name for name in found.images if name in read and lives.last[name] < end]
    shared = max((_shared(found, lives, x, y) for x in gone for y in made), default=0)
    rows = _depths(chosen)
    kept = sum(lives.row_bytes(found, name) * depth for name, depth in rows.items())
    return sum(lives.bytes[name] for name in whole) + kept - shared


def _shared(found: Schedule, lives: _Lives, image: str, made: str) -> int:
    """Bytes that a tensor gathered by rows may share with one from which rows are taken."""
    x, y = lives.bytes[image], lives.bytes[made]
    rows = lives.row_bytes(found, image), lives.row_bytes(found, made)
    behind = rows_behind(found.timing[image], found.timing[made], *rows)
    return max(x + y - (max(behind + x, y) if behind > 0 else max(x, y - behind)), 0)


def _depths(chosen: Sequence[Scheduled]) -> Mapping[str, int]:
    """Greatest number of rows that is kept of each tensor, by tensor."""
    depths: dict[str, int] = {}
    for each in chosen:
        depths[each.node.outputs[0]] = 1
        for read in each.reads:
            depths[read.tensor] = max(depths.get(read.tensor, 1), read.depth)
    return depths
