"""Placing blocks: lower than greedy orders, and in bounded time."""

from pathlib import Path

import pytest

from opsmith.pipeline import Configuration
from opsmith.schedule import plan_memory
from opsmith.schedule.memory.blocks import UNIT, Block, BlockPart
from opsmith.schedule.memory.conflicts import PlacementProblem, problem
from opsmith.schedule.memory.search import improved
from opsmith.schedule.memory.stack import greedy, height, stacked
from tests.programs import compiled

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits_int8.tflite"


def lives(*each: tuple[int, int, int]) -> PlacementProblem:
    """Blocks of memory: size in units, first node and last node."""
    parts = [BlockPart(f"t{i}", 0, UNIT * size, a, b) for i, (size, a, b) in enumerate(each)]
    return problem([Block((part,)) for part in parts], {})


def test_the_search_finds_what_greedy_orders_do_not() -> None:
    task = lives((3, 3, 6), (6, 2, 5), (1, 2, 5), (4, 0, 2), (1, 2, 3), (5, 5, 7), (2, 1, 3))
    first = greedy(task)
    assert height(task, first) == 16
    assert height(task, improved(task, first)) == task.bound == 15


def test_conflicts_of_very_many_blocks_at_once_are_not_listed() -> None:
    count = 3000  # inputs that die one by one, while outputs are born
    inputs = [(1, -1, i) for i in range(count)]
    task = lives(*inputs, *((1, i, count) for i in range(count)))
    assert not task.listed and not task.apart
    offsets = improved(task, greedy(task))
    assert height(task, offsets) == task.bound == count + 1


def test_what_a_block_covers_of_many_parts_is_counted_once() -> None:
    views = [BlockPart(f"v{i}", UNIT * (i // 2), UNIT, i, i + 2) for i in range(4)]
    task = problem([Block((*views, BlockPart("x", 0, 3 * UNIT, 4, 5)))], {})
    found = [(life.first, life.last, life.units) for life in task.lives]
    assert found == [(0, 0, 1), (1, 1, 1), (2, 2, 2), (3, 3, 2), (4, 4, 3), (5, 5, 3)]


@pytest.mark.slow
def test_programs_are_planned_with_it_unless_they_need_not_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plan_memory, "improved", lambda task, first: [each + 1 for each in first])

    def arena(search: bool) -> int:
        program = compiled(DIGITS, configuration=Configuration(search=search))
        assert program.graph.plan is not None
        return program.graph.plan.arenas["ram"]

    assert arena(True) == arena(False) + UNIT


@pytest.mark.slow
def test_a_search_without_end_ends() -> None:
    many = [(1 + 7 * i % 13, i % 40, i % 40 + 1 + i % 7) for i in range(250)]
    task = lives(*many)
    assert task.bound <= height(task, improved(task, stacked(task, range(250))))
