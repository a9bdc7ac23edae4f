"""Placing random blocks: never where they may not be, as low as any order of placing reaches."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsmith.op.overlap import Distance
from opsmith.schedule.memory.blocks import UNIT, Block, BlockPart
from opsmith.schedule.memory.conflicts import PlacementProblem, problem
from opsmith.schedule.memory.search import improved
from opsmith.schedule.memory.stack import greedy, height, stacked
from tests.examples import examples

pytestmark = pytest.mark.slow


@st.composite
def problems(draw: st.DrawFn, most: int = 6) -> PlacementProblem:
    """Random blocks of memory with sizes and lifetimes; some begin where others end, and may
    overlap those.
    """
    blocks = []
    for i in range(draw(st.integers(1, most))):
        first = draw(st.integers(0, 8))
        last = first + draw(st.integers(0, 4))
        part = BlockPart(f"t{i}", 0, UNIT * draw(st.integers(1, 9)), first, last)
        blocks.append(Block((part,)))
    distances = {}
    parts = [block.parts[0] for block in blocks]
    for y in {part.first: part for part in parts}.values():  # a node has one output that overlaps
        for x in parts:
            if x.last == y.first and x.first < y.first and draw(st.booleans()):
                near = st.one_of(st.none(), st.integers(-2, 4).map(lambda n: n * UNIT))
                distances[x.name, y.name] = Distance(draw(near), draw(near), draw(st.booleans()))
    return problem(blocks, distances)


def is_allowed(task: PlacementProblem, offsets: list[int]) -> bool:
    near = all(
        not low < offsets[block] - offsets[other] < high
        for block, conflicts in enumerate(task.near)
        for other, low, high in conflicts
    )
    return near and all(
        offsets[other] + task.sizes[other] <= offset or offset + task.sizes[block] <= offsets[other]
        for block, offset in enumerate(offsets)
        for other in task.apart[block]
    )


@examples(150)
@given(problems(12))
def test_a_placement_is_allowed_and_above_the_bound(task: PlacementProblem) -> None:
    first = greedy(task)
    found = improved(task, first)
    assert is_allowed(task, first) and is_allowed(task, found)
    assert all(offset >= 0 for offset in found)
    assert task.bound <= height(task, found) <= height(task, first)


@examples(50)
@given(problems(5))
def test_no_order_of_placing_is_better(task: PlacementProblem) -> None:
    found = height(task, improved(task, greedy(task)))
    orders = permutations(range(len(task.sizes)))
    assert found <= min(height(task, stacked(task, order)) for order in orders)
