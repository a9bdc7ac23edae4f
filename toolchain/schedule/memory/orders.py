"""Beam search over topological orders for the one that has the fewest units live at once.

A state is a set of tasks that have run. Of the states of one size the best are kept, and of two
that have run the same tasks only the better one: what follows depends on the set alone. With no
more states than the beam is wide, which holds for graphs of few branches, this is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

BEAM = 24  # states of one size that are kept, fewer where there are many tasks
READY = 6  # tasks that are tried next in one state
EFFORT = 24_000  # tasks times states


@dataclass(frozen=True)
class Task:
    """A node in numbers: buffers that it reads and writes, scratch units, tasks that precede it."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]
    shares: frozenset[int]  # what it reads that the output may lie over
    scratch: int
    waits: frozenset[int]

    def need(self, sizes: Sequence[int]) -> int:
        """The units that it needs in any order."""
        written = sum(sizes[i] for i in self.writes)
        saved = min(written, sum(sizes[i] for i in self.shares))
        return sum(sizes[i] for i in self.reads) + written + self.scratch - saved


@dataclass(frozen=True)
class Flow:
    """All tasks, in the given order, and the buffers that the caller writes and reads."""

    tasks: tuple[Task, ...]
    sizes: tuple[int, ...]
    start: frozenset[int]
    end: frozenset[int]


@dataclass(frozen=True)
class _Step:
    """A task run after a state, with what decides whether the state after it is kept."""

    task: int
    done: int  # a bit for each task that has run then
    peak: int
    live: int
    before: _State


@dataclass(frozen=True)
class _State:
    last: _Step | None
    done: int
    peak: int
    live: int
    left: dict[int, int]  # buffer that lives -> its readers that have not run
    ready: tuple[tuple[int, int], ...]  # (growth of the live units, task), sorted
    waits: dict[int, int]  # task that some of what it waits for has run of -> how many have not


def lowest_order(flow: Flow) -> list[int]:
    """Return the tasks in the best order found."""
    search = _Search(flow)
    width = max(2, min(BEAM, EFFORT // max(len(flow.tasks), 1)))
    beam = [search.first()]
    for _ in flow.tasks:
        best: dict[int, _Step] = {}
        for state in beam:
            for found in search.following(state):
                other = best.get(found.done)
                if other is None or (found.peak, found.live) < (other.peak, other.live):
                    best[found.done] = found
        kept = sorted(best.values(), key=lambda step: (step.peak, step.live))[:width]
        beam = [search.after(step) for step in kept]
    order: list[int] = []
    step = beam[0].last
    while step is not None:
        order.append(step.task)
        step = step.before.last
    return order[::-1]


class _Search:
    """The graph by successor: which tasks wait for a task, which read a buffer."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._waiting: list[list[int]] = [[] for _ in flow.tasks]
        self._readers: list[list[int]] = [[] for _ in flow.sizes]
        for i, task in enumerate(flow.tasks):
            for before in task.waits:
                self._waiting[before].append(i)
            for buffer in task.reads:
                self._readers[buffer].append(i)
        # The caller reads, too, and never last.
        self._reads = [len(each) + (i in flow.end) for i, each in enumerate(self._readers)]

    def first(self) -> _State:
        """Return the state in which no task has run."""
        flow = self._flow
        live = sum(flow.sizes[i] for i in flow.start)
        left = {i: self._reads[i] for i in flow.start if self._reads[i]}
        unread = sum(flow.sizes[i] for i in flow.start if not self._reads[i])
        ready = {i for i, task in enumerate(flow.tasks) if not task.waits}
        return _State(None, 0, live, live - unread, left, self._sorted(ready, left), {})

    def following(self, state: _State) -> Iterator[_Step]:
        """Yield the next steps; of many ready tasks, those with the least growth, in that order."""
        tasks = [task for _, task in state.ready[:READY]]
        for task in tasks if len(state.ready) > READY else sorted(tasks):
            yield self._step(state, task)

    def _step(self, state: _State, number: int) -> _Step:
        task, sizes = self._flow.tasks[number], self._flow.sizes
        dying = self._dying(state.left, task)
        fresh = [i for i in task.writes if i not in state.left]
        written = sum(sizes[i] for i in fresh)
        saved = min(written, sum(sizes[i] for i in dying if i in task.shares))
        peak = max(state.peak, state.live + written + task.scratch - saved)
        unread = sum(sizes[i] for i in fresh if not self._reads[i])
        live = state.live + written - unread - sum(sizes[i] for i in dying)
        return _Step(number, state.done | 1 << number, peak, live, state)

    def after(self, step: _Step) -> _State:
        """Return the state after this step."""
        state, task = step.before, self._flow.tasks[step.task]
        left, waits = dict(state.left), dict(state.waits)
        for i in task.reads:
            left[i] = left.get(i, 1) - 1
        for i in self._dying(state.left, task):
            left.pop(i, None)
        fresh = [i for i in task.writes if i not in state.left]
        left |= {i: self._reads[i] for i in fresh if self._reads[i]}
        # Tasks whose growth is new: those that became ready, and the last reader of a buffer.
        changed = {each for i in task.reads if left.get(i) == 1 for each in self._readers[i]}
        changed = {each for _, each in state.ready if each in changed} if changed else changed
        for after in self._waiting[step.task]:
            waits[after] = waits.get(after, len(self._flow.tasks[after].waits)) - 1
            if not waits[after]:
                del waits[after]
                changed.add(after)
        gone = changed | {step.task}
        others = [each for each in state.ready if each[1] not in gone]
        changed.discard(step.task)
        ready = tuple(sorted([*others, *self._sorted(changed, left)]))
        return _State(step, step.done, step.peak, step.live, left, ready, waits)

    def _sorted(self, tasks: Iterable[int], left: dict[int, int]) -> tuple[tuple[int, int], ...]:
        """Return (growth of the live units, task) of these tasks, sorted."""
        return tuple(sorted((self._growth(left, task), task) for task in tasks))

    def _growth(self, left: dict[int, int], number: int) -> int:
        task, sizes = self._flow.tasks[number], self._flow.sizes
        written = sum(sizes[i] for i in task.writes)
        return written - sum(sizes[i] for i in self._dying(left, task))

    def _dying(self, left: dict[int, int], task: Task) -> list[int]:
        return [i for i in task.reads if left.get(i) == 1]
