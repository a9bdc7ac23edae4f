"""Placement of blocks one after the other, each as low as possible, in a good order."""

from collections.abc import Iterator, Sequence

from opsmith.schedule.memory.conflicts import PlacementProblem
from opsmith.schedule.memory.sweep import swept

EFFORT = 200_000  # conflicts examined while an order is improved


Spans = Sequence[tuple[int, int] | None]  # start and end of each block; None if not placed


def stacked(problem: PlacementProblem, order: Sequence[int]) -> list[int]:
    """Offset of each block in units, with blocks placed in the given order."""
    spans: list[tuple[int, int] | None] = [None] * len(order)
    offsets = [0] * len(order)
    for block in order:
        offset = offsets[block] = lowest(problem, spans, block)
        spans[block] = offset, offset + problem.sizes[block]
    return offsets


def lowest(problem: PlacementProblem, spans: Spans, block: int, offset: int = 0) -> int:
    """Lowest offset, at least `offset`, at which a block conflicts with no placed block."""
    size = problem.sizes[block]
    found = filter(None, map(spans.__getitem__, problem.apart[block]))
    taken = [span for span in found if span[1] > offset] if offset else [*found]
    for other, low, high in problem.near[block]:
        if (span := spans[other]) is not None and span[0] + high > offset:
            taken.append((span[0] + low + size, span[0] + high))
    taken.sort()
    for start, end in taken:
        if end > offset:
            if offset + size <= start:
                break
            offset = end
    return offset


def height(problem: PlacementProblem, offsets: Sequence[int]) -> int:
    """Return the height of a placement in units."""
    return max((o + size for o, size in zip(offsets, problem.sizes, strict=True)), default=0)


def greedy(problem: PlacementProblem) -> list[int]:
    """Return the best placement among those of several heuristic orders and their improvements.

    Orders are improved by the squeaky wheel method: blocks that end too high move to the front. The
    effort is bounded, so that the cost stays nearly linear in the number of conflicts. Where
    conflicts are too many to be listed, blocks are placed in one sweep.
    """
    if not problem.listed:
        return swept(problem)
    best: list[int] = []
    tried = set()
    blocks = range(len(problem.sizes))
    work = sum(len(problem.apart[i]) + len(problem.near[i]) for i in blocks) + len(blocks) + 1
    for start in _orders(problem):
        order = list(start)
        for _ in range(max(1, min(40, EFFORT // work))):
            if tuple(order) in tried:
                break
            tried.add(tuple(order))
            offsets = stacked(problem, order)
            if not best or height(problem, offsets) < height(problem, best):
                best = offsets
            if height(problem, best) <= problem.bound:
                return best
            order = _raised(problem, order, offsets)
    return best


def _orders(problem: PlacementProblem) -> Iterator[list[int]]:
    """Yield the initial orders: as given, by size, by the size of each block's neighbourhood."""
    blocks = range(len(problem.sizes))
    sizes = problem.sizes
    yield sorted(blocks, key=lambda i: (-sizes[i], i))
    yield list(blocks)
    crowd = [sizes[i] + sum(map(sizes.__getitem__, problem.others(i))) for i in blocks]
    yield sorted(blocks, key=lambda i: (-crowd[i], -sizes[i], i))
    yield list(reversed(blocks))


def _raised(problem: PlacementProblem, order: Sequence[int], offsets: Sequence[int]) -> list[int]:
    """Return the order with the blocks that end above the bound moved to the front."""
    high = [i for i in order if offsets[i] + problem.sizes[i] > problem.bound]
    above = set(high)
    return [*high, *(i for i in order if i not in above)]
