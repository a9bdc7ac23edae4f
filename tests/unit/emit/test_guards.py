"""Tests of the bytes that a node has to leave alone in a debug build, and of the room for guards in
plans.
"""

from pathlib import Path

import pytest

from opsmith.board.describe import ArenaRule
from opsmith.emit.guards import kept_by
from opsmith.ir.program import Program
from opsmith.testing.checkout import ROOT
from tests.programs import compiled

pytestmark = pytest.mark.slow

DIGITS = ROOT / "tests" / "models" / "digits_int8.tflite"
RULE = ArenaRule("ccm", ("inner", "scratch"), 64, 4096)


def program(path: Path, guards: bool, rules: tuple[ArenaRule, ...] = ()) -> Program:
    return compiled(path, features={"dsp"}, arena=rules, opt="size", guards=guards)


@pytest.mark.parametrize("rules", [(), (RULE,)])
def test_what_is_not_kept_is_what_the_node_may_write(rules: tuple[ArenaRule, ...]) -> None:
    made = program(DIGITS, True, rules)
    plan = made.graph.plan
    assert plan is not None
    assert len(plan.arenas) == 1 + len(rules)
    for index, step in enumerate(made.steps):
        own = [n for n in plan.placements if n in step.node.outputs or f"{step.node.name}." in n]
        allowed = {memory: set(range(size)) for memory, size in plan.arenas.items()}
        for kept in kept_by(made, index):
            there = range(kept.offset, kept.offset + kept.bytes)
            assert allowed[kept.memory].issuperset(there)
            allowed[kept.memory].difference_update(there)
        for name in own:
            at = plan.placements[name]
            allowed[at.memory].difference_update(range(at.offset, at.offset + at.bytes))
        assert not any(allowed.values())


def test_guards_lie_around_every_block() -> None:
    made = program(DIGITS, True)
    plan = made.graph.plan
    assert plan is not None
    for index, step in enumerate(made.steps):
        free = {
            b for k in kept_by(made, index) if k.free for b in range(k.offset, k.offset + k.bytes)
        }
        kept = {b for k in kept_by(made, index) for b in range(k.offset, k.offset + k.bytes)}
        assert {*range(16), *range(plan.arenas["ram"] - 16, plan.arenas["ram"])} <= free
        for name in step.node.outputs:
            at = plan.placements[name]
            assert {at.offset - 1, at.offset + at.bytes} <= kept


def test_without_guards_the_plan_is_the_one_that_ships() -> None:
    plain, guarded = program(DIGITS, False).graph.plan, program(DIGITS, True).graph.plan
    assert plain is not None
    assert guarded is not None
    assert guarded.arenas["ram"] >= plain.arenas["ram"] + 32
    assert guarded.lower_bounds == plain.lower_bounds
