"""Place blocks one after the other, each as low as it can go; find a good order to do it in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolchain.schedule.memory.conflicts import Problem

EFFORT = 200_000  # conflicts looked at while an order is improved


def stacked(problem: Problem, order: Sequence[int]) -> list[int]:
    """The offset of each block when they are placed in this order."""
    offsets = [-1] * len(order)
    for block in order:
        offsets[block] = lowest(problem, offsets, block)
    return offsets


def lowest(problem: Problem, offsets: Sequence[int], block: int) -> int:
    """The lowest offset at which the block meets none that has an offset (not -1)."""
    taken = [
        (at + low, at + high)
        for other, low, high in problem.conflicts[block]
        if (at := offsets[other]) >= 0
    ]
    taken.sort()
    offset = 0
    for low, high in taken:
        if low >= offset:
            break
        offset = max(offset, high)
    return offset


def height(problem: Problem, offsets: Sequence[int]) -> int:
    """How many units a placement takes."""
    return max((o + size for o, size in zip(offsets, problem.sizes, strict=True)), default=0)


def greedy(problem: Problem) -> list[int]:
    """The best placement of those that some good orders and their improvements give.

    The order is improved as by a squeaky wheel: whatever ends too high goes to the front. The
    effort is bounded, so that the cost stays near to linear in the number of conflicts.
    """
    best: list[int] = []
    tried = set()
    work = sum(map(len, problem.conflicts)) + len(problem.sizes) + 1
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


def _orders(problem: Problem) -> Iterator[list[int]]:
    """Orders to begin with: as written, by size, by what the blocks a block meets need."""
    blocks = range(len(problem.sizes))
    sizes = problem.sizes
    crowd = [sizes[i] + sum(sizes[c.other] for c in problem.conflicts[i]) for i in blocks]
    yield sorted(blocks, key=lambda i: (-sizes[i], i))
    yield list(blocks)
    yield sorted(blocks, key=lambda i: (-crowd[i], -sizes[i], i))
    yield list(reversed(blocks))


def _raised(problem: Problem, order: Sequence[int], offsets: Sequence[int]) -> list[int]:
    """The order with the blocks that end above the bound before the rest."""
    high = [i for i in order if offsets[i] + problem.sizes[i] > problem.bound]
    above = set(high)
    return [*high, *(i for i in order if i not in above)]
