"""A kernel that says `-> Plan` can be taken for every node, whatever the build."""

from dataclasses import dataclass
from typing import Any

import pytest

from opsmith.op.hook_results import HookCall
from opsmith.op.hook_structs import plan_rule
from opsmith.op.kernel import Code, Kernel, Plan, Refused, Work
from opsmith.op.view import NodeView
from tests.unit.graphs import op


@dataclass(frozen=True)
class Params:
    """Params without fields."""


def every(node: NodeView) -> Plan:
    return Plan(Params())


def some(node: NodeView) -> Plan | Refused:
    return Plan(Params())


@pytest.mark.parametrize(("answer", "promised", "possible"), [
    (Plan(Params()), True, True),
    (Refused("rank is 5"), False, True),
    (Refused("rank is \ud800"), False, False),
    (Refused("rank is\n5"), False, False),
    (Plan(Params(), growth=100), False, True),
    (Plan(Params(), growth=-100), True, True),
    (Plan(Params(), code=Code(300, slowdown=1.2, shared={"sums": 400})), True, True),
    (Plan(Params(), code=Code(-1)), False, False),
    (Plan(Params(), code=Code(slowdown=0.5)), False, False),
    (Plan(Params(), code=Code(shared={"sums": 0.5})), False, False),  # type: ignore[dict-item]
    (Plan(Params(), code=Code(shared={"su\nms": 5})), False, False),
    (Plan(Params(), code=400), False, False),  # type: ignore[arg-type]
    (Plan(Params(), work=Work((1,))), True, True),
    (Plan(Params(), work=(1,)), False, False),  # type: ignore[arg-type]
    (Plan(Params(), inexact="by 1"), False, True),
    (Plan(Params(), inexact="by \ud800"), False, False),
])  # fmt: skip
def test_what_it_may_answer(answer: Any, promised: bool, possible: bool) -> None:
    for function, wanted in ((every, promised), (some, possible)):
        rule, call = plan_rule(Kernel("k", Params, function)), HookCall(op("o"), (None,), answer)
        assert (rule.broken(call) is None) == wanted
