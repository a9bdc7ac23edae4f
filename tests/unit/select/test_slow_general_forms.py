"""Instances that replace slow general forms are bought before those that gain more per byte."""

import pytest

from opsmith.op.kernel import Code, Plan
from opsmith.op.view import NodeView
from opsmith.select.flash_budget import FlashBudget
from opsmith.select.spend_flash import TOLERATED
from tests.unit.graphs import kernel, op, ops, params
from tests.unit.select.test_spend_flash import FREE, GIVEN, chain, count, fixed, spent

FEW, MANY = 4, 400  # elements


@pytest.mark.parametrize(
    ("slowdown", "specialised"), [(TOLERATED, [False, True]), (TOLERATED + 0.01, [True, False])]
)
def test_slow_general_forms_are_replaced_first(slowdown: float, specialised: list[bool]) -> None:
    def plan(node: NodeView) -> Plan:
        found = slowdown if node["y"].elements == FEW else TOLERATED
        return Plan(params(node), code=Code(instance=100 + GIVEN, slowdown=found))

    index = ops(op("work", kernels=(kernel(cost=count, code=FREE, plan=plan),)))
    found = spent(chain(FEW, MANY), index, FlashBudget(fixed(2) + 100))
    assert [choice.specialised for choice in found] == specialised
