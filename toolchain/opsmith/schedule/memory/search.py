"""Branch and bound over placements, for problems that a greedy order does not solve to the bound.

In a placement where nothing can sink, every block is at 0 or on another block. Placing blocks by
rising offset, each as low as it can go at its turn, reaches the best of these, so the search tries
at each step which block comes next and never goes back below the last offset, since a block that
fits below could have been placed before. A branch ends where a remaining block cannot end below the
best height known, or where remaining blocks that live together cannot.
"""

from collections.abc import Mapping, Sequence, Set

from opsmith.schedule.memory.conflicts import PlacementProblem
from opsmith.schedule.memory.stack import height, lowest

LARGEST = 400  # blocks; beyond, the greedy placement is kept
EFFORT = 1_000_000  # conflicts examined, so that results do not depend on the machine
_Level = tuple[list[tuple[int, int]], Mapping[int, int]]


def improved(problem: PlacementProblem, offsets: Sequence[int]) -> list[int]:
    """Return the best placement found, which is no higher than the given one."""
    best = list(offsets)
    if not problem.listed or len(best) > LARGEST or height(problem, best) <= problem.bound:
        return best
    return _PlacementSearch(problem, best).run()


class _PlacementSearch:
    """State of one search, with an explicit stack, since the depth is the number of blocks."""

    def __init__(self, problem: PlacementProblem, best: list[int]) -> None:
        self._problem = problem
        self._best = best
        self._height = height(problem, best)
        self._spans: list[tuple[int, int] | None] = [None] * len(best)
        self._left = EFFORT
        blocks = range(len(best))
        self._costs = [len(problem.others(block)) + 1 for block in blocks]
        # for each block: the others alive at the same time, with open intervals where these must
        # not start
        self._bars: list[dict[int, list[tuple[int, int]]]] = [{} for _ in blocks]
        for block in blocks:
            for other in problem.apart[block]:
                bar = -problem.sizes[block], problem.sizes[other]
                self._bars[other].setdefault(block, []).append(bar)
            for other, low, high in problem.near[block]:
                self._bars[other].setdefault(block, []).append((low, high))
        sections = problem.sections
        self._coming = [sum(size for _, size in units) for units, _ in sections]  # not placed yet
        self._lives: list[list[tuple[int, int]]] = [[] for _ in best]  # (section, units of it)
        for section, (units, _) in enumerate(sections):
            for block, size in units:
                self._lives[block].append((section, size))

    def run(self) -> list[int]:
        """Return the best placement found within the limit of effort."""
        # for each level: the candidates as (offset, block), with the best last. The lowest offset
        # of a block only changes when a block is placed in its way.
        levels = [self._choices(0, {}, set())]
        placed: list[int] = []
        while levels and self._left > 0 and self._height > self._problem.bound:
            if len(levels) == len(placed):
                self._remove(placed.pop())
            choices, lows = levels[-1]
            if not choices:
                levels.pop()
                continue
            offset, block = choices.pop()
            if offset + self._problem.sizes[block] >= self._height:
                continue
            self._place(block, offset)
            placed.append(block)
            if len(placed) == len(self._best):
                self._best = [span[0] for span in self._spans if span is not None]
                self._height = height(self._problem, self._best)
                self._remove(placed.pop())
            else:
                levels.append(self._choices(offset, lows, self._raised_by(block, offset, lows)))
        return self._best

    def _raised_by(self, block: int, offset: int, lows: Mapping[int, int]) -> set[int]:
        """Blocks that would move up from their lowest offsets, with `block` placed in the way."""
        return {
            other
            for other, bars in self._bars[block].items()
            if other in lows and any(low < lows[other] - offset < high for low, high in bars)
        }

    def _place(self, block: int, offset: int) -> None:
        self._spans[block] = offset, offset + self._problem.sizes[block]
        for section, size in self._lives[block]:
            self._coming[section] -= size

    def _remove(self, block: int) -> None:
        self._spans[block] = None
        for section, size in self._lives[block]:
            self._coming[section] += size

    def _choices(self, floor: int, known: Mapping[int, int], raised: Set[int]) -> _Level:
        """Return the candidates for the next block, or none where a block cannot end below the best
        height. `known` has the lowest offsets of blocks before those of `raised` moved up.
        """
        sizes = self._problem.sizes
        lows: dict[int, int] = {}
        for block, span in enumerate(self._spans):
            if span is None:
                self._left -= self._costs[block]
                low = known.get(block, -1)
                if low < 0 or block in raised:
                    low = lowest(self._problem, self._spans, block, max(low, 0))
                lows[block] = low
                if max(low, floor) + sizes[block] >= self._height:
                    return [], lows
        if self._crowded(lows, floor):
            return [], lows
        # A block that would end before the next begins could have been placed before it.
        end = min(low + sizes[block] for block, low in lows.items())
        found = [(low, block) for block, low in lows.items() if floor <= low < end]
        return sorted(found, key=lambda each: (-each[0], sizes[each[1]], -each[1])), lows

    def _crowded(self, lows: dict[int, int], floor: int) -> bool:
        """True if blocks that live together, stacked from their lowest offset on, end too high."""
        known, looked_at = self._height, 0
        for (units, saved), coming in zip(self._problem.sections, self._coming, strict=True):
            looked_at += 1
            if not coming:
                continue
            least = known + saved - coming  # even stacked without gaps they would end too high
            if floor < least:
                for block, _ in units:
                    if lows.get(block, least) < least:
                        break
                else:
                    self._left -= looked_at
                    return True
            else:
                self._left -= looked_at
                return True
        self._left -= looked_at
        return False
