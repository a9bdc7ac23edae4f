"""Run of nodes on two sides, a processor and a device: copies between their memories, and time.

Each side has a memory of its own. A tensor that the other side wrote is copied over once, and stays
valid on both until someone writes it again. A border is a change of the running side. Times are
integers of nanoseconds, so that sums are exact in any order.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

CPU, DEVICE = 0, 1
State = tuple[int, int]  # which copies are valid, as bits, and which side ran last
_BOTH = 3


@dataclass(frozen=True)
class SideTask:
    """A node with its time on each side; tensors are numbers."""

    ns: tuple[int | None, int | None]  # time on each side; None if it cannot run there
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    free: bool = False  # it only computes addresses: nothing runs, and outputs lie within inputs

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides on which the task can run."""
        return tuple(side for side in (CPU, DEVICE) if self.ns[side] is not None)


@dataclass(frozen=True)
class SideWork:
    """Tasks in the order in which they run, and the costs of copies and changes between sides."""

    tasks: tuple[SideTask, ...]
    crossing: tuple[int, ...]  # for each tensor, nanoseconds to copy it to the other side
    border: int
    given: frozenset[int] = frozenset()  # tensors that the processor has at the start
    taken: frozenset[int] = frozenset()  # tensors that the processor needs at the end
    kept: frozenset[int] = frozenset()  # tensors that stay where they are until the next run
    apart: bool = False  # the device gets tasks one at a time, and returns what each writes


@dataclass(frozen=True)
class SideChange:
    """A change of sides before a task, and the tensors that cross at it."""

    task: int  # first task after it; the number of tasks at the end
    side: int  # side that runs from then on
    crossed: tuple[tuple[int, int], ...]  # pairs of a tensor and the task that needs it


class SideWalk:
    """Walk through the tasks; a state has two bits per tensor, one for each side with a valid copy.

    Above those bits are two more per tensor, set for a kept tensor on the side that reads it first.
    """

    def __init__(self, work: SideWork) -> None:
        self.work = work
        self._starts = 2 * len(work.crossing)  # bits
        self._reads = [(_bits(each.reads, CPU), _bits(each.reads, DEVICE)) for each in work.tasks]
        self._writes = [
            (_bits(each.writes, CPU), _bits(each.writes, DEVICE)) for each in work.tasks
        ]
        last = {t: i for i, each in enumerate(work.tasks) for t in (*each.reads, *each.writes)}
        dead: list[int] = [0] * len(work.tasks)
        for tensor, i in last.items():
            if tensor not in work.taken | work.kept:
                dead[i] |= _BOTH << 2 * tensor
        self._alive = [~each for each in dead]
        self._taken = _bits(work.taken, CPU)
        self._firsts = _bits(range(len(work.crossing)), CPU)
        self._copying = _copying(work)
        ends = work.border + sum(work.crossing[t] for t in work.kept)
        self._slacks = [0 if work.apart else ends + sum(costs.values()) for costs in self._copying]
        self.start: State = (_bits(work.given, CPU), CPU)

    def step(self, i: int, state: State, side: int) -> tuple[State, int]:
        """State after task i on a side, and the time in nanoseconds that the step takes."""
        task, (copies, ran) = self.work.tasks[i], state
        ns = task.ns[side] or 0
        if self.work.apart:
            return state, ns + (0 if side == CPU or task.free else self._alone(task))
        missing = self._reads[i][side] & ~copies
        if missing:
            copies, more = self._fetched(copies, missing)
            ns += more
        put = self._writes[i][side]
        if task.free:
            there = reduce(lambda both, t: both & copies >> 2 * t, task.reads, _BOTH)
            put = reduce(or_, (there << 2 * t for t in task.writes), 0)
        elif side != ran:
            ns += self.work.border
            ran = side
        copies = copies & ~(self._writes[i][CPU] | self._writes[i][DEVICE]) | put
        return (copies & self._alive[i], ran), ns

    def finish(self, state: State) -> int:
        """Nanoseconds after the last task to bring outputs and kept tensors to their places."""
        if self.work.apart:
            return 0
        copies, ran = state
        _, ns = self._fetched(copies, self._wanted(copies) & ~copies)
        return ns + (self.work.border if ran != CPU else 0)

    def crossed(self, i: int, state: State, side: int) -> tuple[int, ...]:
        """Tensors that are copied to a side for task i, or, after the last task, for the end."""
        copies = state[0]
        wanted = self._reads[i][side] if i < len(self._reads) else self._wanted(copies)
        found = (bit >> 1 for bit in _numbers(wanted & ~copies))
        return tuple(t for t in found if copies >> 2 * t & _BOTH)

    def without_copy(self, i: int, state: State) -> Iterator[tuple[State, int]]:
        """States after task i that equal the given state but for one copy that they lack, each with
        the greatest cost of making that copy.
        """
        copies, ran = state
        for bit in _numbers(copies & copies >> 1 & self._firsts):
            for side in (CPU, DEVICE):
                yield (copies & ~(1 << bit + side), ran), self._copying[i].get(bit >> 1, 0)

    def slack(self, i: int) -> int:
        """Greatest difference in the cost of all later tasks between two states after task i.

        Each can continue like the other, and copy missing tensors when they are read.
        """
        return self._slacks[i]

    def _fetched(self, copies: int, missing: int) -> tuple[int, int]:
        """Copies with the missing ones added, and the time that copying takes in nanoseconds."""
        ns = 0
        for bit in _numbers(missing):
            if copies >> (bit & ~1) & _BOTH:
                ns += self.work.crossing[bit >> 1]
            else:  # kept: the last run has to leave the tensor on this side
                copies |= 1 << bit + self._starts
            copies |= 1 << bit
        return copies, ns

    def _wanted(self, copies: int) -> int:
        """Copies that must exist in the end."""
        return self._taken | copies >> self._starts

    def _alone(self, task: SideTask) -> int:
        crossing = self.work.crossing
        return 2 * self.work.border + sum(crossing[t] for t in (*task.reads, *task.writes))


def total(work: SideWork, sides: Sequence[int]) -> int:
    """Total time in nanoseconds with each task on its given side."""
    walk = SideWalk(work)
    state, ns = walk.start, 0
    for i, side in enumerate(sides):
        state, more = walk.step(i, state, side)
        ns += more
    return ns + walk.finish(state)


def margins(work: SideWork, sides: Sequence[int]) -> list[int | None]:
    """Additional time if one task moves to the other side, for each task; None where it cannot."""
    walk, states, taken = SideWalk(work), [], []
    state = walk.start
    for i, side in enumerate(sides):
        states.append(state)
        state, ns = walk.step(i, state, side)
        taken.append(ns)
    states.append(state)

    def margin(i: int) -> int:
        state, extra = states[i], 0
        for j in range(i, len(sides)):
            state, ns = walk.step(j, state, sides[j] if j > i else 1 - sides[j])
            extra += ns - taken[j]
            if state == states[j + 1]:
                return extra
        return extra + walk.finish(state) - walk.finish(states[-1])

    return [
        margin(i) if not task.free and len(task.sides) > 1 else None
        for i, task in enumerate(work.tasks)
    ]


def borders(work: SideWork, sides: Sequence[int]) -> tuple[SideChange, ...]:
    """Changes of sides, in order, each with tensors copied until the next change to that side."""
    return tuple(_borders_apart(work, sides) if work.apart else _borders(work, sides))


def _borders(work: SideWork, sides: Sequence[int]) -> Iterator[SideChange]:
    walk = SideWalk(work)
    state, ran, places = walk.start, CPU, []
    crossed: dict[int, list[tuple[int, int]]] = {}
    for i, side in enumerate((*sides, CPU)):
        end = i == len(sides)
        if side != ran and (end or not work.tasks[i].free):
            places.append((i, side))
            ran = side
        # A view copies before the border that its reader brings.
        home = next((n for n in reversed(range(len(places))) if places[n][1] == side), 0)
        home = home if ran == side else len(places)
        crossed.setdefault(home, []).extend((t, i) for t in walk.crossed(i, state, side))
        state = state if end else walk.step(i, state, side)[0]
    for n, (task, side) in enumerate(places):
        yield SideChange(task, side, tuple(crossed.get(n, ())))


def _borders_apart(work: SideWork, sides: Sequence[int]) -> Iterator[SideChange]:
    for i, (task, side) in enumerate(zip(work.tasks, sides, strict=True)):
        if side == DEVICE and not task.free:
            yield SideChange(i, DEVICE, tuple((t, i) for t in task.reads))
            yield SideChange(i + 1, CPU, tuple((t, len(sides)) for t in task.writes))


def _bits(tensors: Iterable[int], side: int) -> int:
    return reduce(or_, (1 << 2 * t + side for t in tensors), 0)


def _numbers(bits: int) -> Iterator[int]:
    """Indices of the bits that are set, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _copying(work: SideWork) -> list[dict[int, int]]:
    """Greatest cost of lacking a copy, for each tensor in use after each task.

    A view shares the copies of the tensor that it shows, so that lacking one may cost one of each.
    """
    costs = {t: work.crossing[t] for t in work.taken | work.kept}
    found = []
    for task in reversed(work.tasks):
        found.append(costs)
        views = sum(costs.get(t, 0) for t in task.writes) if task.free else 0
        costs = {t: ns for t, ns in costs.items() if t not in task.writes}
        for t in task.reads:
            costs[t] = max(costs.get(t, 0) + views, work.crossing[t])
    return found[::-1]
