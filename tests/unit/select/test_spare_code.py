"""Code that gains little time is spared where no budget was given."""

from dataclasses import replace

import pytest

from opsmith.ir import Offer
from opsmith.op.kernel import Code, Kernel, Plan, Refused
from opsmith.op.view import NodeView
from opsmith.select.flash_budget import NOTHING, UNLIMITED, FlashBudget
from tests.unit.graphs import kernel, op, ops, params
from tests.unit.select.test_spend_flash import FREE, bought, chain, count, fixed, half, spent

WEIGHED = FlashBudget(fixed(2) + 10_000, weighs=True)


def large(bytes_: int, growth: int = 0) -> Kernel:
    """Kernel for y1 alone, which takes half the time and the given bytes of code."""

    def plan(node: NodeView) -> Plan | Refused:
        return Plan(params(node), growth=growth) if node.name == "y1" else Refused("other weights")

    return kernel("large", cost=half, plan=plan, code=Code(bytes_, general=2 * bytes_))


@pytest.mark.parametrize(("others", "bytes_", "budget", "name"), [
    (4000, 2000, WEIGHED, "reference"),
    (4000, 2000, NOTHING, "reference"),
    (4000, 2000, UNLIMITED, "large"),
    (4000, 2000, FlashBudget(fixed(2) + 10_000), "large"),
    (40, 2000, WEIGHED, "large"),  # gains a part of all time that is worth it
    (4000, 100, WEIGHED, "large"),  # saves too little
])  # fmt: skip
def test_a_kernel_that_gains_little_goes(
    others: int, bytes_: int, budget: FlashBudget, name: str
) -> None:
    index = ops(op("work", kernels=(large(bytes_), kernel(cost=count, code=FREE))))
    _, found = spent(chain(others, 4), index, budget)
    assert found.name == name
    if name == "reference":
        saved = next(offer for offer in bought([found]) if offer.what == name)
        assert saved == Offer(name, ("y1",), saved.bytes, -20.0, bought=True)
        assert found.why == f"{-saved.bytes:,} bytes of code less for 20 cycles more"


def test_weights_are_not_exchanged() -> None:
    """Weights are not exchanged to spare code: only a budget buys larger weights or spares them."""
    index = ops(op("work", kernels=(large(2000, growth=1), kernel(cost=count, code=FREE))))
    assert spent(chain(4000, 4), index, WEIGHED)[1].name == "large"


def test_a_general_form_that_is_there_is_joined() -> None:
    code = Code(1500, general=20, slowdown=1.01)
    index = ops(op("work", kernels=(large(500), kernel(cost=count, code=code))))
    found = spent(chain(4000, 4), index, FlashBudget(fixed(2) + 600, weighs=True))
    assert [(each.name, each.specialised) for each in found] == [("reference", False)] * 2


def test_both_may_become_less() -> None:
    """Time and flash may both become less, where the removed kernel was in a slow general form."""
    slow = Code(5000, general=2000, slowdown=4.0)
    kernels = (kernel("slow", cost=half, code=slow), kernel(cost=count, code=FREE))
    found = spent(chain(400, 4), ops(op("work", kernels=kernels)), NOTHING)
    assert [each.name for each in found] == ["reference"] * 2
    assert found[0].why.endswith(" bytes of code and 4,040 cycles less")


def test_what_is_spared_buys_instances() -> None:
    """Spared code buys instances for nodes that could not pay for one before."""
    reference = kernel(cost=count, code=Code(800, general=300, slowdown=1.2))
    index = ops(op("work", kernels=(large(2000), reference)))
    scarce = FlashBudget(fixed(2) + 2600)
    assert [each.specialised for each in spent(chain(4000, 4), index, scarce)] == [False, True]
    found = spent(chain(4000, 4), index, replace(scarce, weighs=True))
    assert [(each.name, each.specialised) for each in found] == [("reference", True)] * 2
