"""Placement of blocks in the order in which they begin to live, each in the lowest free gap.

The sweep is for problems whose blocks are too many to list their conflicts: it is nearly linear in
the number of blocks. An output then shares no bytes with an input, but takes those of blocks that
died before.
"""

import sys
from bisect import bisect_left
from heapq import heappop, heappush

from opsmith.schedule.memory.conflicts import PlacementProblem

Gap = tuple[int, int]  # start and end, in units


def swept(problem: PlacementProblem) -> list[int]:
    """Offset of each block in units; of blocks that begin together, larger ones come first."""
    sizes, alive = problem.sizes, problem.alive
    offsets = [0] * len(sizes)
    gaps: list[Gap] = [(0, sys.maxsize)]
    placed: list[tuple[int, int]] = []  # heap of (last node, block)
    for block in sorted(range(len(sizes)), key=lambda i: (alive[i][0], -sizes[i], i)):
        first, last = alive[block]
        while placed and placed[0][0] < first:
            _, gone = heappop(placed)
            _free(gaps, (offsets[gone], offsets[gone] + sizes[gone]))
        if sizes[block]:
            offsets[block] = _taken(gaps, sizes[block])
            heappush(placed, (last, block))
    return offsets


def _taken(gaps: list[Gap], size: int) -> int:
    """Start of the lowest gap with enough room, from which the room is taken."""
    at = next(i for i, (start, end) in enumerate(gaps) if end - start >= size)
    start, end = gaps[at]
    gaps[at : at + 1] = [(start + size, end)] if start + size < end else []
    return start


def _free(gaps: list[Gap], gap: Gap) -> None:
    """Add a gap, joined with the gaps that it touches."""
    low = high = bisect_left(gaps, gap)
    start, end = gap
    if low and gaps[low - 1][1] == start:
        low -= 1
        start = gaps[low][0]
    if gaps[high][0] == end:  # the last gap has no end
        end = gaps[high][1]
        high += 1
    gaps[low:high] = [(start, end)]
