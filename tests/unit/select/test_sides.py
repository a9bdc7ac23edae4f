"""Tasks on two sides: the cheapest sides together, compared with all that there are."""

import itertools
import random
from collections.abc import Sequence

import pytest

from opsmith.select.cheapest_sides import cheapest_sides
from opsmith.select.sides import (
    CPU,
    DEVICE,
    SideChange,
    SideTask,
    SideWork,
    borders,
    margins,
    total,
)
from tests.each import for_each


def chain(*ns: tuple[int | None, int | None], crossing: int = 0, border: int = 0) -> SideWork:
    """Tasks of which each reads the output of the one before."""
    tasks = tuple(SideTask(each, (i,), (i + 1,)) for i, each in enumerate(ns))
    tensors = (crossing,) * (len(ns) + 1)
    return SideWork(tasks, tensors, border, frozenset({0}), frozenset({len(ns)}))


def greedy(work: SideWork) -> tuple[int, ...]:
    """Side on which each task by itself is quicker."""
    return tuple(min(each.sides, key=lambda side: each.ns[side] or 0) for each in work.tasks)


def test_a_chain_goes_where_it_is_quicker_even_with_both_borders() -> None:
    work = chain((50, 10), (50, 10), crossing=5, border=20)
    assert cheapest_sides(work) == (DEVICE, DEVICE)
    assert total(work, (DEVICE, DEVICE)) == 20 + 5 + 10 + 10 + 5 + 20


def test_a_node_that_is_quicker_on_the_device_stays_where_borders_cost_more() -> None:
    work = chain((50, 10), crossing=5, border=20)
    assert greedy(work) == (DEVICE,)
    assert cheapest_sides(work) == (CPU,)


def test_a_cheap_node_of_the_processor_between_two_of_the_device_moves_to_the_device() -> None:
    work = chain((900, 10), (1, 12), (900, 10), crossing=5, border=20)
    assert greedy(work) == (DEVICE, CPU, DEVICE)
    assert cheapest_sides(work) == (DEVICE, DEVICE, DEVICE)
    assert total(work, greedy(work)) > total(work, cheapest_sides(work))


def test_a_node_that_only_the_processor_has_may_keep_its_neighbours() -> None:
    work = chain((30, 10), (1, None), (30, 10), crossing=5, border=20)
    assert cheapest_sides(work) == (CPU, CPU, CPU)


def diamond(left: tuple[int, int | None], right: tuple[int, int | None]) -> SideWork:
    """Tasks of a diamond: 0 -> 1, then two branches of one task each, joined by a last task."""
    tasks = (
        SideTask((1000, 10), (0,), (1,)),
        SideTask(left, (1,), (2,)),
        SideTask(right, (1,), (3,)),
        SideTask((1000, 10), (2, 3), (4,)),
    )
    return SideWork(tasks, (5, 30, 30, 30, 5), 20, frozenset({0}), frozenset({4}))


def test_a_branch_of_a_diamond_leaves_the_device_only_where_its_copies_are_paid() -> None:
    near, far = diamond((1, 60), (900, 10)), diamond((1, 200), (900, 10))
    assert greedy(near) == greedy(far) == (DEVICE, CPU, DEVICE, DEVICE)
    assert cheapest_sides(near) == (DEVICE,) * 4
    assert cheapest_sides(far) == (DEVICE, CPU, DEVICE, DEVICE)


def test_what_both_sides_read_is_copied_once() -> None:
    work = diamond((1, None), (1, None))
    sides = cheapest_sides(work)
    assert sides == (DEVICE, CPU, CPU, DEVICE)
    assert [each.crossed for each in borders(work, sides)] == [
        ((0, 0),),
        ((1, 1),),
        ((2, 3), (3, 3)),
        ((4, 4),),
    ]


def test_what_is_kept_from_run_to_run_stays_on_the_device() -> None:
    step = SideTask((90, 10), (0, 1), (1, 2))
    state = SideWork((step,), (1, 1000, 1), 5, frozenset({0}), frozenset({2}), frozenset({1}))
    assert cheapest_sides(state) == (DEVICE,)
    assert total(state, (DEVICE,)) == 5 + 1 + 10 + 1 + 5


def test_what_is_kept_crosses_where_two_sides_touch_it() -> None:
    tasks = (SideTask((90, 10), (1,), (1, 2)), SideTask((10, None), (1, 2), (1, 3)))
    work = SideWork(tasks, (1, 1000, 1, 1), 5, frozenset({0}), frozenset({3}), frozenset({1}))
    assert cheapest_sides(work) == (CPU, CPU)
    # To the processor, and back for the next run.
    assert total(work, (DEVICE, CPU)) == 5 + 10 + 5 + 1000 + 1 + 10 + 1000


def test_a_view_is_where_its_input_is() -> None:
    around = SideTask((90, 1), (0,), (1,)), SideTask((90, 1), (2,), (3,))
    tasks = (around[0], SideTask((0, 0), (1,), (2,), free=True), around[1])
    work = SideWork(tasks, (1, 1, 1, 1), 5, frozenset({0}), frozenset({3}))
    sides = cheapest_sides(work)
    assert (sides[0], sides[2]) == (DEVICE, DEVICE)
    assert total(work, sides) == 5 + 1 + 1 + 1 + 1 + 5


def test_a_copy_that_a_view_shares_is_worth_both() -> None:
    """A copy shared with a view is worth both: made before the view, one copy serves both."""
    tasks = (
        SideTask((0, 9), (0,), (1,)),
        SideTask((0, None), (0,), (2,), free=True),
        SideTask((None, 1), (0, 2), (3,)),
    )
    work = SideWork(tasks, (10, 0, 10, 0), 0, frozenset({0}), frozenset({3}))
    assert [total(work, (side, CPU, DEVICE)) for side in (CPU, DEVICE)] == [21, 20]
    assert cheapest_sides(work) == (DEVICE, CPU, DEVICE)


def test_apart_each_task_of_the_device_pays_its_own_borders() -> None:
    tasks = chain((50, 10), (50, 10), (90, 10)).tasks
    work = SideWork(tasks, (5,) * 4, 20, frozenset({0}), frozenset({3}), apart=True)
    assert cheapest_sides(work) == (CPU, CPU, DEVICE)
    assert total(work, (CPU, CPU, DEVICE)) == 50 + 50 + 60
    assert borders(work, (CPU, CPU, DEVICE)) == (
        SideChange(2, DEVICE, ((2, 2),)),
        SideChange(3, CPU, ((3, 3),)),
    )


def random_work(random_: random.Random) -> SideWork:
    """Random tasks, up to ten, that read earlier ones; some have one side only, some are views."""
    count, kept = random_.randint(1, 10), random_.randint(0, 1)
    first = 2 + kept  # two inputs, and perhaps a variable
    tasks = []
    for i in range(count):
        known = range(first + i)
        reads = tuple(sorted(random_.sample(known, random_.randint(1, min(3, len(known))))))
        writes = (first + i, *(t for t in reads if kept and t == 2 and random_.random() < 0.5))
        if random_.random() < 0.15 and len(writes) == 1:
            tasks.append(SideTask((0, 0), reads[:1], writes, free=True))
            continue
        ns = [random_.choice((0, 1, 5, 20, 60)), random_.choice((1, 3, 9, None))]
        tasks.append(SideTask((ns[0], ns[1]), reads, writes))
    crossing = tuple(random_.choice((0, 1, 4, 16)) for _ in range(first + count))
    taken = random_.sample(range(first, first + count), random_.randint(1, min(2, count)))
    variables = frozenset({2} if kept else ())
    given, border = frozenset({0, 1}), random_.choice((0, 2, 10))
    return SideWork(tuple(tasks), crossing, border, given, frozenset(taken), variables)


def told(work: SideWork, sides: Sequence[int]) -> int:
    """Time of tasks on their sides, computed by sets in the plainest way: a rival of `total`."""
    there: dict[int, set[int]] = {t: {CPU} for t in work.given}
    begun: dict[int, int] = {}
    ns, ran = 0, CPU

    def fetch(tensor: int, side: int) -> int:
        if tensor not in there:  # kept, and read first
            begun[tensor] = side
            there[tensor] = {side}
        if side in there[tensor]:
            return 0
        there[tensor].add(side)
        return work.crossing[tensor]

    for task, side in zip(work.tasks, sides, strict=True):
        ns += sum(fetch(tensor, side) for tensor in task.reads)
        if not task.free:
            ns += (task.ns[side] or 0) + (work.border if side != ran else 0)
            ran = side
        shared = set.intersection(*(there[t] for t in task.reads)) if task.free else {side}
        there |= {tensor: {*shared} for tensor in task.writes}
    ns += sum(fetch(tensor, CPU) for tensor in work.taken)
    ns += sum(fetch(tensor, side) for tensor, side in begun.items())
    return ns + (work.border if ran == DEVICE else 0)


@pytest.mark.slow
@for_each(*range(150))
def test_no_other_sides_are_quicker(seed: int) -> None:
    work = random_work(random.Random(seed))
    every = list(itertools.product(*(task.sides for task in work.tasks)))
    least = min(told(work, sides) for sides in every)
    found = cheapest_sides(work)
    assert told(work, found) == least
    sample = random.Random(seed).sample(every, min(len(every), 20))
    assert [total(work, sides) for sides in sample] == [told(work, sides) for sides in sample]


@pytest.mark.slow
@for_each(*range(0, 150, 5))
def test_borders_and_margins_add_up(seed: int) -> None:
    work = random_work(random.Random(seed))
    sides = cheapest_sides(work)
    crossed = sum(work.crossing[t] for each in borders(work, sides) for t, _ in each.crossed)
    nodes = sum(task.ns[side] or 0 for task, side in zip(work.tasks, sides, strict=True))
    assert total(work, sides) == nodes + crossed + work.border * len(borders(work, sides))
    for i, margin in enumerate(margins(work, sides)):
        other = [1 - side if j == i else side for j, side in enumerate(sides)]
        if margin is not None:
            assert margin == told(work, other) - told(work, sides)


def wide(branches: int, seed: int) -> SideWork:
    """Tasks of many branches that are alive together, joined by a last task."""
    chance = random.Random(seed)
    tasks = [
        SideTask((chance.randint(1, 90), chance.randint(1, 30)), (0,), (i + 1,))
        for i in range(branches)
    ]
    tasks.append(SideTask((500, 5), tuple(range(1, branches + 1)), (branches + 1,)))
    crossing = tuple(chance.randint(1, 30) for _ in range(branches + 2))
    return SideWork(tuple(tasks), crossing, 20, frozenset({0}), frozenset({branches + 1}))


@pytest.mark.slow
def test_with_more_states_than_are_looked_at_the_result_is_still_good() -> None:
    exact, cut = (total(wide(12, 3), cheapest_sides(wide(12, 3), n)) for n in (1 << 20, 32))
    assert exact <= cut <= exact * 1.1
    work = wide(40, 1)
    assert total(work, cheapest_sides(work)) <= min(
        total(work, greedy(work)), total(work, (CPU,) * 41), total(work, (DEVICE,) * 41)
    )
