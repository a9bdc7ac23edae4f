"""Flash buys speed, best gain per byte first, and never more than the budget."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from opsmith.board.manifest import Board, load_board
from opsmith.commands.convert import flash_budget
from opsmith.ir import Graph, KernelChoice, Offer
from opsmith.ir.types import i32
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Code, Plan, Refused
from opsmith.op.view import NodeView
from opsmith.select.choice import Preferences
from opsmith.select.select_kernels import select_kernels
from opsmith.select.spend_flash import (
    ALLOWANCE,
    CALL,
    FIRMWARE,
    NOTHING,
    UNLIMITED,
    FlashBudget,
    spend_flash,
)
from tests.unit.emit.test_pack_weights import SCALE, scaled
from tests.unit.graphs import graph, kernel, node, op, ops, params, tensor

PLAIN = Code(instance=100, general=50, slowdown=1.5)
FREE = Code(instance=0, general=0, slowdown=1.0)


def wide(node: NodeView) -> Plan | Refused:
    return Plan(params(node), growth=80)


def count(node: NodeView) -> float:
    return 10.0 * node["y"].elements


def half(node: NodeView) -> float:
    return 5.0 * node["y"].elements


INSTANCES = ops(op("work", kernels=(kernel(cost=count, code=PLAIN),)))
WEIGHTS = ops(
    op(
        "work",
        kernels=(
            kernel("wide", cost=half, plan=wide, code=FREE),
            kernel(cost=count, code=FREE),
        ),
    )
)


def chain(*sizes: int) -> Graph:
    """Independent nodes of so many elements each."""
    tensors = [tensor(f"{t}{i}", size) for i, size in enumerate(sizes) for t in "xy"]
    nodes = [node("work", [f"x{i}"], f"y{i}") for i in range(len(sizes))]
    names = range(len(sizes))
    return graph(tensors, nodes, [f"x{i}" for i in names], [f"y{i}" for i in names])


def fixed(nodes: int, general: int = 0) -> int:
    """What a firmware of these nodes takes before anything is bought."""
    return FIRMWARE + CALL * nodes + general


def choices(made: Graph) -> list[KernelChoice]:
    return [n.kernel for n in made.nodes if n.kernel is not None]


def spent(g: Graph, index: OpIndex, budget: FlashBudget, **preferences: Any) -> list[KernelChoice]:
    """What the nodes get."""
    chosen = select_kernels(g, index, frozenset(), Preferences(**preferences))
    return choices(spend_flash(chosen, index, budget))


def bought(found: list[KernelChoice]) -> list[Offer]:
    return list(dict.fromkeys(o for choice in found for o in choice.offers if o.bought))


def test_zeros_of_two_signs_need_two_instances() -> None:
    (offer,) = bought(spent(scaled(0.0, -0.0, 0.0), ops(SCALE), FlashBudget(0)))
    assert offer.bytes == 2 * Code().instance - Code().general


def test_the_instance_that_gains_most_is_bought_first() -> None:
    found = spent(chain(4, 40, 8), INSTANCES, FlashBudget(fixed(3, 50) + 100))
    assert [choice.specialised for choice in found] == [False, True, False]
    assert bought(found) == [Offer("instance", ("y1",), 100, 200.0, bought=True)]


def test_nodes_of_equal_params_share_an_instance_and_its_gain() -> None:
    found = spent(chain(4, 10, 4, 4), INSTANCES, FlashBudget(fixed(4, 50) + 100))
    assert [choice.specialised for choice in found] == [True, False, True, True]
    assert bought(found)[0] == Offer("instance", ("y0", "y2", "y3"), 100, 60.0, bought=True)


def test_without_a_general_form_the_last_instances_are_cheaper() -> None:
    found = spent(chain(4, 4), INSTANCES, FlashBudget(fixed(2, 50) + 50))
    assert bought(found) == [Offer("instance", ("y0", "y1"), 50, 40.0, bought=True)]
    found = spent(chain(4, 40), INSTANCES, FlashBudget(fixed(2, 50) + 150))
    assert bought(found) == [Offer("instance", ("y0", "y1"), 150, 220.0, bought=True)]


def test_a_kernel_for_one_params_alone_gives_flash_back() -> None:
    small = Code(instance=100, general=130, slowdown=1.5)
    only = kernel(cost=count, code=small)
    found = spent(chain(4, 4), ops(op("work", kernels=(only,))), FlashBudget(0))
    assert bought(found) == [Offer("instance", ("y0", "y1"), -30, 40.0, bought=True)]


@pytest.mark.parametrize("missing", [1, 101])
def test_what_cannot_be_paid_is_offered_and_not_bought(missing: int) -> None:
    found = spent(chain(4, 40), INSTANCES, FlashBudget(fixed(2, 50) + 100 - missing))
    assert not any(choice.specialised for choice in found)
    assert not bought(found)
    told = {offer.bytes for choice in found for offer in choice.offers}
    assert told == {100, 150}


def test_constants_count() -> None:
    g = chain(4, 40)
    weights = tensor("w", 50, value=1)
    g = replace(g, tensors={**g.tensors, "w": weights})
    budget = fixed(2, 50) + 100
    assert not bought(spent(g, INSTANCES, FlashBudget(budget + 49)))
    assert bought(spent(g, INSTANCES, FlashBudget(budget + 50)))


def test_larger_weights_are_bought_where_they_gain() -> None:
    found = spent(chain(4, 40), WEIGHTS, FlashBudget(fixed(2) + 80))
    assert [choice.name for choice in found] == ["reference", "wide"]
    assert found[0].why == "wide grows weights by 80 bytes"
    told = [offer for offer in bought(found) if offer.what == "wide"]
    assert told == [Offer("wide", ("y1",), 80, 200.0, bought=True)]


def test_without_a_limit_everything_is_bought() -> None:
    found = spent(chain(4, 40), WEIGHTS, UNLIMITED)
    assert [choice.name for choice in found] == ["wide", "wide"]
    assert all(choice.specialised for choice in found)


@pytest.mark.parametrize(("shapes", "instances"), [(1, True), (2, True), (3, False)])
def test_opt_size_takes_instances_where_they_are_smaller(shapes: int, instances: bool) -> None:
    small = Code(instance=100, general=250, slowdown=1.5)
    only = kernel(cost=count, code=small)
    found = spent(chain(*range(1, 1 + shapes)), ops(op("work", kernels=(only,))), NOTHING)
    assert {choice.specialised for choice in found} == {instances}


def test_opt_size_buys_nothing_not_even_what_is_free() -> None:
    found = spent(chain(4, 40), WEIGHTS, NOTHING)
    assert [choice.name for choice in found] == ["reference", "reference"]
    assert not any(choice.specialised for choice in found)


def test_measured_gains_count_in_place_of_declared_ones() -> None:
    measured = {f"y{i}": {"wide": wide, "reference": 100} for i, wide in enumerate((10, 99))}
    found = spent(chain(40, 40), WEIGHTS, FlashBudget(fixed(2) + 80), measured=measured)
    assert [choice.name for choice in found] == ["wide", "reference"]


def test_what_is_preferred_is_not_exchanged() -> None:
    found = spent(chain(4), WEIGHTS, UNLIMITED, prefer="reference")
    assert found[0].name == "reference"


@pytest.mark.slow
def test_a_thousand_nodes_are_soon_done() -> None:
    found = spent(chain(*range(1, 1001)), INSTANCES, FlashBudget(fixed(1000, 50) + 50_000))
    assert sum(choice.specialised for choice in found) == 500
    assert not found[499].specialised
    assert found[500].specialised


def board(flash: int | None) -> Board:
    """A shipped board with so much flash, or one without memories."""
    found = load_board("mps2_an386", [Path(__file__).parents[3] / "boards"])
    memory = {} if flash is None else {"flash": replace(found.memory["flash"], size=flash)}
    return replace(found, memory=memory)


@pytest.mark.parametrize(
    ("asked", "opt", "flash", "budget"),
    [
        (5000, "balanced", 4096, 5000),
        (5000, "speed", 4096, 5000),
        (None, "speed", 4096, 4096),
        (None, "speed", None, None),
        (None, "balanced", 4096, 50 + 4 * 12 + ALLOWANCE),
    ],
)
def test_the_budget_is_as_asked_or_as_opt_says(
    asked: int | None, opt: str, flash: int | None, budget: int | None
) -> None:
    constants = [tensor("w", 50, value=1), tensor("b", 3, i32, value=1)]
    g = replace(chain(4), tensors={each.id: each for each in constants})
    assert flash_budget(asked, opt, board(flash), g) == FlashBudget(budget)
