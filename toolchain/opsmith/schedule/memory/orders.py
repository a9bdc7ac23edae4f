"""Beam search over topological orders for the one with the fewest units alive at once.

A state is a set of tasks that have run. The best states of each size are kept, and of two that have
run the same tasks only the better one: the future depends on the set alone. If the number of states
never exceeds the width of the beam, as in graphs of few branches, the result is exact.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

BEAM = 24  # states kept per size, fewer if there are many tasks
READY = 6  # tasks tried next per state
EFFORT = 24_000  # tasks times states
MOST_READY = 20_000_000  # ready tasks of all states; beyond, the given order is kept


@dataclass(frozen=True)
class OrderTask:
    """A node in numbers: buffers that it reads and writes, scratch units, and preceding tasks."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]
    shares: frozenset[int]  # buffer that it reads and that its output may overlap
    scratch: int
    waits: frozenset[int]

    def need(self, sizes: Sequence[int]) -> int:
        """Units that the task needs in any order."""
        written = sum(sizes[i] for i in self.writes)
        saved = min(written, sum(sizes[i] for i in self.shares))
        return sum(sizes[i] for i in self.reads) + written + self.scratch - saved


@dataclass(frozen=True)
class Flow:
    """Tasks in the given order, sizes of buffers, and buffers that the caller writes and reads."""

    tasks: tuple[OrderTask, ...]
    sizes: tuple[int, ...]
    start: frozenset[int]
    end: frozenset[int]


class _Ready(NamedTuple):
    """A task that may run next, with its effect on the units alive; ordered by growth."""

    growth: int  # change of the live units by the task
    task: int
    rise: int  # height of the peak above the units alive before
    change: int  # like growth, but outputs may be unread, or may have been alive before


@dataclass(frozen=True)
class _Step:
    """A task run after a state, with figures that decide whether the new state is kept."""

    task: int
    done: int  # bit set of the tasks that have run
    peak: int
    live: int
    before: _State


@dataclass(frozen=True)
class _State:
    last: _Step | None
    done: int
    peak: int
    live: int
    ready: tuple[_Ready, ...]  # in sorted order


def lowest_order(flow: Flow) -> list[int]:
    """Return the tasks in the best order found."""
    search = _OrderSearch(flow)
    width = max(2, min(BEAM, EFFORT // max(len(flow.tasks), 1)))
    beam, looked_at = [search.first()], 0
    for _ in flow.tasks:
        looked_at += sum(len(state.ready) for state in beam)
        if looked_at > MOST_READY:
            return [*range(len(flow.tasks))]
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


class _OrderSearch:
    """Graph by successor: tasks that wait for each task, and tasks that read each buffer."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._awaited = [_bits(task.waits) for task in flow.tasks]
        self._waiting: list[list[int]] = [[] for _ in flow.tasks]
        readers: list[list[int]] = [[] for _ in flow.sizes]
        for i, task in enumerate(flow.tasks):
            for before in task.waits:
                self._waiting[before].append(i)
            for buffer in task.reads:
                readers[buffer].append(i)
        self._readers = [_bits(each) for each in readers]

    def first(self) -> _State:
        """Return the state in which no task has run."""
        flow = self._flow
        peak = sum(flow.sizes[i] for i in flow.start)
        live = peak - sum(flow.sizes[i] for i in flow.start if self._unread(i))
        ready = (i for i, task in enumerate(flow.tasks) if not task.waits)
        return _State(None, 0, peak, live, tuple(sorted(self._ready(0, i) for i in ready)))

    def following(self, state: _State) -> Iterator[_Step]:
        """Yield the next steps; of many ready tasks, those with the least growth, in that order."""
        ready = state.ready[:READY]
        for each in ready if len(state.ready) > READY else sorted(ready, key=lambda r: r.task):
            peak = max(state.peak, state.live + each.rise)
            done = state.done | 1 << each.task
            yield _Step(each.task, done, peak, state.live + each.change, state)

    def after(self, step: _Step) -> _State:
        """Return the state after a step."""
        done, ready = step.done, step.before.ready
        free = [i for i in self._waiting[step.task] if not self._awaited[i] & ~done]
        # Tasks whose growth has changed: those that became ready, and the last reader of a buffer.
        last = (self._last_reader(done, i) for i in self._flow.tasks[step.task].reads)
        changed = {i for i in last if i is not None and not self._awaited[i] & ~done}
        own = next(place for place, each in enumerate(ready) if each.task == step.task)
        kept = [*ready[:own], *ready[own + 1 :]]
        if changed:
            kept = [each for each in kept if each.task not in changed]
        for i in {*changed, *free}:
            insort(kept, self._ready(done, i))
        return _State(step, done, step.peak, step.live, tuple(kept))

    def _ready(self, done: int, number: int) -> _Ready:
        """Return the effect of running a task after the tasks of `done`."""
        task, sizes, start = self._flow.tasks[number], self._flow.sizes, self._flow.start
        dying = [i for i in task.reads if self._last_reader(done, i) is not None]
        died = sum(sizes[i] for i in dying)
        fresh = [i for i in task.writes if i not in start]
        written = sum(sizes[i] for i in fresh)
        saved = min(written, sum(sizes[i] for i in dying if i in task.shares))
        unread = sum(sizes[i] for i in fresh if self._unread(i))
        return _Ready(
            sum(sizes[i] for i in task.writes) - died,
            number,
            written + task.scratch - saved,
            written - unread - died,
        )

    def _last_reader(self, done: int, buffer: int) -> int | None:
        """Only task that still has to read a buffer; None for several, or for an output."""
        left = self._readers[buffer] & ~done
        alone = left and not left & (left - 1) and buffer not in self._flow.end
        return left.bit_length() - 1 if alone else None

    def _unread(self, buffer: int) -> bool:
        return not self._readers[buffer] and buffer not in self._flow.end


def _bits(tasks: Iterable[int]) -> int:
    return sum(1 << task for task in tasks)
