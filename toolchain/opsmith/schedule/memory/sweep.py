"""Place blocks in the order in which they begin to live, each into the lowest gap that is free.

For problems of N blocks at once that their conflicts are not listed: nearly linear in the
number of blocks. An output shares no bytes with an input then, but takes those that died before.
"""

import sys
from bisect import bisect_left
from heapq import heappop, heappush

from opsmith.schedule.memory.conflicts import PlacementProblem

Gap = tuple[int, int]  # start and end, in units


def swept(problem: PlacementProblem) -> list[int]:
    """The offset of each block; of those that begin together, larger ones are placed first."""
    sizes, alive = problem.sizes, problem.alive
    offsets = [0] * len(sizes)
    gaps: list[Gap] = [(0, sys.maxsize)]
    placed: list[tuple[int, int]] = []  # a heap: last node, block
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
    """The start of the lowest gap that has room, which gets smaller."""
    at = next(i for i, (start, end) in enumerate(gaps) if end - start >= size)
    start, end = gaps[at]
    gaps[at : at + 1] = [(start + size, end)] if start + size < end else []
    return start


def _free(gaps: list[Gap], gap: Gap) -> None:
    """Add a gap, as one with those that it touches."""
    low = high = bisect_left(gaps, gap)
    start, end = gap
    if low and gaps[low - 1][1] == start:
        low -= 1
        start = gaps[low][0]
    if gaps[high][0] == end:  # the last gap is never full
        end = gaps[high][1]
        high += 1
    gaps[low:high] = [(start, end)]
