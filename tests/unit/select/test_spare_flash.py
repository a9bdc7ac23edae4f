"""Smaller kernels are taken where flash is short, and the fewest that make the rest fit."""

from dataclasses import replace

import pytest

from opsmith.ir import KernelChoice
from opsmith.op.kernel import Code, Plan, Refused
from opsmith.op.view import NodeView
from opsmith.select.choice import Preferences
from opsmith.select.flash_budget import NOTHING, UNLIMITED, FlashBudget
from opsmith.select.select_kernels import select_kernels
from opsmith.select.spend_flash import spend_flash
from tests.unit.graphs import kernel, op, ops, params
from tests.unit.select.test_spend_flash import FREE, Cost, chain, choices, count, fixed

DECODER = Code(instance=700, general=500, slowdown=1.0)
SIZES = 200, 400, 1200  # elements of three nodes, of which the decoder saves half as many bytes


def coded(node: NodeView) -> Plan | Refused:
    """Plan that saves a byte for two elements."""
    return Plan(params(node), growth=-(node["y"].elements // 2))


def slower(node: NodeView) -> float:
    """Cost of the smaller kernel: thrice the instructions, plus the smallest node's elements."""
    return 30.0 * node["y"].elements + SIZES[0]


def hardly_slower(node: NodeView) -> float:
    """Cost of a smaller kernel that takes a thousandth more instructions."""
    return 10.01 * node["y"].elements


def taken(budget: FlashBudget, prefer: str = "", cost: Cost = slower) -> list[KernelChoice]:
    """Choices of the kernels of the three nodes, where the smaller kernel has this cost."""
    decoder = replace(kernel("coded", cost=cost, plan=coded), code=DECODER)
    index = ops(op("work", kernels=(decoder, kernel(cost=count, code=FREE))))
    chosen = select_kernels(chain(*SIZES), index, frozenset(), Preferences(prefer=prefer))
    return choices(spend_flash(chosen, index, budget))


@pytest.mark.parametrize(
    ("missing", "coded_nodes"),
    [(-1, ""), (0, ""), (1, "y2"), (100, "y2"), (101, "y1 y2"), (300, "y1 y2"), (301, "y0 y1 y2")],
)
def test_the_fewest_bytes_are_spared_that_are_missing(missing: int, coded_nodes: str) -> None:
    found = taken(FlashBudget(fixed(3) - missing))
    names = [f"y{i}" for i, choice in enumerate(found) if choice.name == "coded"]
    assert names == coded_nodes.split()
    spared = [offer for choice in found for offer in choice.offers if offer.what == "coded"]
    spared = [offer for offer in spared if offer.bought]
    assert all(offer.bytes < 0 and offer.gain < 0 for offer in spared)
    assert bool(spared) == bool(names)


def test_the_room_of_the_board_counts_beside_the_budget() -> None:
    roomy = FlashBudget(fixed(3) + 10_000)
    assert {choice.name for choice in taken(roomy)} == {"reference"}
    (*others, last) = taken(replace(roomy, room=fixed(3) - 1))
    assert last.name == "coded"
    assert last.why == "reference grows weights by 600 bytes"
    assert {choice.name for choice in others} == {"reference"}


@pytest.mark.parametrize(("cost", "name"), [(slower, "reference"), (hardly_slower, "coded")])
def test_a_budget_that_nobody_gave_spares_what_is_worth_the_time(cost: Cost, name: str) -> None:
    wanted = FlashBudget(fixed(3) - 700, weighs=True)
    assert [choice.name for choice in taken(wanted, cost=cost)][-1] == name
    assert taken(replace(wanted, room=fixed(3) - 700), cost=cost)[-1].name == "coded"


def test_where_no_flash_is_to_be_spent_all_is_spared_that_is_smaller() -> None:
    assert [choice.name for choice in taken(NOTHING)] == ["coded"] * 3
    assert [choice.name for choice in taken(UNLIMITED)] == ["reference"] * 3


def test_preferred_kernels_stay() -> None:
    assert [choice.name for choice in taken(NOTHING, "reference")] == ["reference"] * 3
