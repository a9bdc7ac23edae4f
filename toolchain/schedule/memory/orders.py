"""Beam search over topological orders for the one that has the fewest units live at once.

A state is a set of tasks that have run. Of the states of one size the best are kept, and of two
that have run the same tasks only the better one: what follows depends on the set alone. With no
more states than the beam is wide, which holds for graphs of few branches, this is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
class _State:
    done: int  # a bit for each task
    peak: int
    live: int
    left: dict[int, int]  # buffer that lives -> its readers that have not run
    ready: tuple[int, ...]
    waits: dict[int, int]  # task that some of what it waits for has run of -> how many have not
    last: int = -1
    previous: _State | None = None


def lowest_order(flow: Flow) -> list[int]:
    """Return the tasks in the best order found."""
    search = _Search(flow)
    width = max(2, min(BEAM, EFFORT // max(len(flow.tasks), 1)))
    beam = [search.first()]
    for _ in flow.tasks:
        best: dict[int, _State] = {}
        for state in beam:
            for found in search.following(state):
                other = best.get(found.done)
                if other is None or (found.peak, found.live) < (other.peak, other.live):
                    best[found.done] = found
        beam = sorted(best.values(), key=lambda state: (state.peak, state.live))[:width]
    order: list[int] = []
    step: _State | None = beam[0]
    while step is not None and step.last >= 0:
        order.append(step.last)
        step = step.previous
    return order[::-1]


class _Search:
    """The graph by successor: which tasks wait for a task, which read a buffer."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._waiting: list[list[int]] = [[] for _ in flow.tasks]
        self._readers = [0] * len(flow.sizes)
        for i, task in enumerate(flow.tasks):
            for before in task.waits:
                self._waiting[before].append(i)
            for buffer in task.reads:
                self._readers[buffer] += 1
        for buffer in flow.end:
            self._readers[buffer] += 1  # never the last

    def first(self) -> _State:
        """Return the state in which no task has run."""
        flow = self._flow
        live = sum(flow.sizes[i] for i in flow.start)
        left = {i: self._readers[i] for i in flow.start if self._readers[i]}
        unread = sum(flow.sizes[i] for i in flow.start if not self._readers[i])
        ready = tuple(i for i, task in enumerate(flow.tasks) if not task.waits)
        return _State(0, live, live - unread, left, ready, {})

    def following(self, state: _State) -> Iterator[_State]:
        """Yield the states after one more task, those with the fewest live units first."""
        if len(state.ready) <= READY:
            yield from (self._run(state, task) for task in state.ready)
            return
        grown = sorted(state.ready, key=lambda task: (self._growth(state, task), task))
        yield from (self._run(state, task) for task in grown[:READY])

    def _dying(self, state: _State, task: Task) -> list[int]:
        return [i for i in task.reads if state.left.get(i) == 1]

    def _growth(self, state: _State, number: int) -> int:
        task, sizes = self._flow.tasks[number], self._flow.sizes
        written = sum(sizes[i] for i in task.writes)
        return written - sum(sizes[i] for i in self._dying(state, task))

    def _run(self, state: _State, number: int) -> _State:
        task, sizes = self._flow.tasks[number], self._flow.sizes
        dying = self._dying(state, task)
        fresh = [i for i in task.writes if i not in state.left]
        written = sum(sizes[i] for i in fresh)
        saved = min(written, sum(sizes[i] for i in dying if i in task.shares))
        peak = max(state.peak, state.live + written + task.scratch - saved)
        left = dict(state.left)
        for i in task.reads:
            left[i] = left.get(i, 1) - 1
        for i in dying:
            left.pop(i, None)
        left |= {i: self._readers[i] for i in fresh if self._readers[i]}
        unread = sum(sizes[i] for i in fresh if not self._readers[i])
        live = state.live + written - unread - sum(sizes[i] for i in dying)
        waits, ready = dict(state.waits), [i for i in state.ready if i != number]
        for after in self._waiting[number]:
            waits[after] = waits.get(after, len(self._flow.tasks[after].waits)) - 1
            if not waits[after]:
                del waits[after]
                ready.append(after)
        done = state.done | 1 << number
        return _State(done, peak, live, left, tuple(sorted(ready)), waits, number, state)
