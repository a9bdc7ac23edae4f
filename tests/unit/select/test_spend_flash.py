"""Flash buys speed, best gain per byte first, and never more than the budget."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from opsmith.board.describe import ConstantsRule
from opsmith.board.manifest import Board, Memory, load_board
from opsmith.conversion import flash_budget
from opsmith.ir import Graph, KernelChoice, Offer
from opsmith.ir.types import i32
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Code, Plan, Refused
from opsmith.op.view import NodeView
from opsmith.select.choice import Preferences
from opsmith.select.estimated_flash import CALL, FIRMWARE, code_bytes
from opsmith.select.flash_budget import ALLOWANCE, NOTHING, SWELLING, UNLIMITED, FlashBudget
from opsmith.select.flash_ledger import ARGUMENT
from opsmith.select.select_kernels import select_kernels
from opsmith.select.spend_flash import spend_flash
from tests.programs import PLAIN as PLAIN_BUILD
from tests.programs import compiled
from tests.unit.emit.test_pack_weights import SCALE, scaled
from tests.unit.graphs import graph, kernel, node, op, ops, params, tensor

Cost = Callable[[NodeView], float]
PARAMS = 4  # bytes of those of toy ops
GIVEN = PARAMS + ARGUMENT  # what a node's Params take in a general form
PLAIN = Code(instance=100 + GIVEN, general=50, slowdown=1.5)
FREE = Code(instance=GIVEN, general=0, slowdown=1.0)


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
        kernels=(kernel("wide", cost=half, plan=wide, code=FREE), kernel(cost=count, code=FREE)),
    )
)


def chain(*sizes: int) -> Graph:
    """Graph of independent nodes of N elements each."""
    tensors = [tensor(f"{t}{i}", size) for i, size in enumerate(sizes) for t in "xy"]
    nodes = [node("work", [f"x{i}"], f"y{i}") for i in range(len(sizes))]
    names = range(len(sizes))
    return graph(tensors, nodes, [f"x{i}" for i in names], [f"y{i}" for i in names])


def fixed(nodes: int, general: int = 0) -> int:
    """Bytes of a firmware of `nodes` nodes with different Params, before anything is bought."""
    return FIRMWARE + (CALL + GIVEN) * nodes + general


def choices(made: Graph) -> list[KernelChoice]:
    return [n.kernel for n in made.nodes if n.kernel is not None]


def spent(g: Graph, index: OpIndex, budget: FlashBudget, **preferences: Any) -> list[KernelChoice]:
    """Kernels that the nodes get when flash is spent."""
    chosen = select_kernels(g, index, frozenset(), Preferences(**preferences))
    return choices(spend_flash(chosen, index, budget))


def bought(found: list[KernelChoice]) -> list[Offer]:
    return list(dict.fromkeys(o for choice in found for o in choice.offers if o.bought))


def test_zeros_of_two_signs_need_two_instances() -> None:
    (offer,) = bought(spent(scaled(0.0, -0.0, 0.0), ops(SCALE), FlashBudget(0)))
    values = 2 * 8  # a double for each instance
    assert offer.bytes == 2 * Code().instance - Code().general - values - 3 * ARGUMENT


def test_the_instance_that_gains_most_is_bought_first() -> None:
    found = spent(chain(4, 40, 8), INSTANCES, FlashBudget(fixed(3, 50) + 100))
    assert [choice.specialised for choice in found] == [False, True, False]
    assert bought(found) == [Offer("instance", ("y1",), 100, 200.0, bought=True)]


@pytest.mark.parametrize(("swelling", "own"), [(1.0, True), (1.25, False)])
def test_code_that_is_compiled_for_speed_takes_more(swelling: float, own: bool) -> None:
    budget = FlashBudget(fixed(3, round(50 * swelling)) + 100, swelling=swelling)
    found = spent(chain(4, 40, 8), INSTANCES, budget)
    assert [choice.specialised for choice in found] == [False, own, False]


def test_nodes_of_equal_params_share_an_instance_and_its_gain() -> None:
    budget = fixed(4, 50) - 2 * PARAMS + 100 - 2 * ARGUMENT
    found = spent(chain(4, 10, 4, 4), INSTANCES, FlashBudget(budget))
    assert [choice.specialised for choice in found] == [True, False, True, True]
    price = 100 - 2 * ARGUMENT
    assert bought(found)[0] == Offer("instance", ("y0", "y2", "y3"), price, 60.0, bought=True)


def test_without_a_general_form_the_last_instances_are_cheaper() -> None:
    found = spent(chain(4, 4), INSTANCES, FlashBudget(fixed(2, 50) + 50))
    assert bought(found) == [Offer("instance", ("y0", "y1"), 50 - ARGUMENT, 40.0, bought=True)]
    found = spent(chain(4, 40), INSTANCES, FlashBudget(fixed(2, 50) + 150))
    assert bought(found) == [Offer("instance", ("y0", "y1"), 150, 220.0, bought=True)]


def test_a_kernel_for_one_params_alone_gives_flash_back() -> None:
    small = Code(instance=100 + GIVEN, general=130, slowdown=1.5)
    only = kernel(cost=count, code=small)
    found = spent(chain(4, 4), ops(op("work", kernels=(only,))), FlashBudget(0))
    price = -30 - ARGUMENT
    assert bought(found) == [Offer("instance", ("y0", "y1"), price, 40.0, bought=True)]


@pytest.mark.parametrize("missing", [1, 101])
def test_what_cannot_be_paid_is_offered_and_not_bought(missing: int) -> None:
    found = spent(chain(4, 40), INSTANCES, FlashBudget(fixed(2, 50) + 100 - missing))
    assert not any(choice.specialised for choice in found)
    assert not bought(found)
    told = {offer.bytes for choice in found for offer in choice.offers}
    assert told == {100, 150}


def test_constants_count_as_they_are_packed() -> None:
    read = op("work", ("x", "b?"), kernels=(kernel(cost=count, code=PLAIN),))
    g = chain(4, 40)
    weights, unread = tensor("w", 50, value=1), tensor("unread", 900, value=1)
    nodes = [replace(n, inputs=(*n.inputs, w)) for n, w in zip(g.nodes, ("w", None), strict=True)]
    g = replace(g, tensors={**g.tensors, "w": weights, "unread": unread}, nodes=tuple(nodes))
    budget = fixed(2, 50) + 100
    assert not bought(spent(g, ops(read), FlashBudget(budget + 49)))
    assert bought(spent(g, ops(read), FlashBudget(budget + 50)))


def sharing(node: NodeView) -> Plan | Refused:
    """Plan of a kernel whose nodes of up to 9 elements share a function of 300 bytes."""
    small = node["y"].elements < 10
    code = Code(100 if small else 400, slowdown=1.5, shared={"sums": 300} if small else {})
    return Plan(params(node), code=replace(code, instance=code.instance + GIVEN))


SHARING = ops(
    op(
        "work",
        kernels=(
            kernel("dsp", cost=count, plan=sharing, code=Code(general=2000)),
            kernel(cost=lambda node: 1e9),
        ),
    )
)


def test_what_instances_share_is_paid_once() -> None:
    found = spent(chain(8, 9, 30), SHARING, FlashBudget(fixed(3, 2000) + 500))
    assert [choice.specialised for choice in found] == [True, True, True]  # no general form


def test_those_that_share_a_function_are_offered_together() -> None:
    g = chain(8, 9, 30, 31, 32, 33, 34, 35)
    offers = {
        (offer.nodes, offer.bytes)
        for choice in spent(g, SHARING, FlashBudget(fixed(8, 2000)))
        for offer in choice.offers
    }
    assert (("y0",), 400) in offers
    assert (("y0", "y1"), 500) in offers
    assert (("y2",), 400) in offers


def test_a_function_of_the_general_form_is_there_for_instances() -> None:
    """Instances do not pay for a function that the general form has, and none saves it."""
    code = Code(instance=100 + GIVEN, general=450, slowdown=1.5, shared={"rows": 400})
    index = ops(op("work", kernels=(kernel(cost=count, code=code),)))
    found = spent(chain(8, 9), index, FlashBudget(fixed(2, 450)))
    offers = {(offer.nodes, offer.bytes) for choice in found for offer in choice.offers}
    assert offers == {(("y0",), 100), (("y1",), 100), (("y0", "y1"), 150)}


def test_the_budget_is_spent_until_nothing_more_fits() -> None:
    """The budget is spent until nothing more fits: one of two nodes that share code gains less than
    a third node of the same price, both gain more.
    """
    found = spent(chain(8, 9, 12, 70, 80, 90, 95), SHARING, FlashBudget(fixed(7, 2000) + 450))
    left = 450 - sum(offer.bytes for offer in bought(found))
    offers = [offer for choice in found for offer in choice.offers if not offer.bought]
    assert left >= 0
    assert offers
    assert all(offer.bytes > left for offer in offers)


def test_the_estimate_is_what_the_budget_was_spent_on() -> None:
    budget = fixed(7, 2000) + 450
    chosen = select_kernels(chain(8, 9, 12, 70, 80, 90, 95), SHARING, frozenset())
    spent_on = spend_flash(chosen, SHARING, FlashBudget(budget))
    paid = sum(offer.bytes for offer in bought(choices(spent_on)))
    assert code_bytes(spent_on, SHARING) == budget - 450 + paid


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


@pytest.mark.parametrize(
    ("shapes", "slowdown", "instances"),
    [(1, 1.0, True), (2, 1.0, True), (3, 1.1, False), (3, 2.0, True)],
)
def test_opt_size_takes_instances_that_are_smaller_or_save_most_of_the_time(
    shapes: int, slowdown: float, instances: bool
) -> None:
    """Three instances take a hundredth of the flash more, worth a third of the time."""
    small = Code(instance=100 + GIVEN, general=250, slowdown=slowdown)
    only = kernel(cost=count, code=small)
    found = spent(chain(*range(1, 1 + shapes)), ops(op("work", kernels=(only,))), NOTHING)
    assert {choice.specialised for choice in found} == {instances}


@pytest.mark.parametrize(("most", "instances"), [
    (None, True),
    (fixed(3, general=300), True),
    (fixed(3, general=299), False),
])  # fmt: skip
def test_opt_size_buys_no_instance_beyond_what_user_and_board_allow(
    most: int | None, instances: bool
) -> None:
    small = Code(instance=100 + GIVEN, general=250, slowdown=2.0)
    index = ops(op("work", kernels=(kernel(cost=count, code=small),)))
    for flash in (FlashBudget(0, room=most, weighs=True), FlashBudget(most)):
        configuration = replace(PLAIN_BUILD, flash=flash)
        made = compiled(chain(1, 2, 3), index, configuration=configuration, opt="size").graph
        assert {choice.specialised for choice in choices(made)} == {instances}


def test_opt_size_buys_nothing_not_even_what_is_free() -> None:
    found = spent(chain(4, 40), WEIGHTS, NOTHING)
    assert [choice.name for choice in found] == ["reference", "reference"]
    assert not any(choice.specialised for choice in found)


@pytest.mark.parametrize(("form", "name"), [(700, "wide"), (400, "reference")])
def test_size_exchanges_a_kernel_for_a_smaller_one_of_all_its_nodes(form: int, name: str) -> None:
    """opt=size exchanges a kernel for a smaller one at all its nodes: one alone would need both
    kernels' code.
    """
    shared = Code(instance=40, general=2000, shared={"wide": 300})
    general = Code(instance=600, general=form)
    kernels = (kernel("wide", cost=half, plan=wide, code=shared), kernel(cost=count, code=general))
    found = spent(chain(4, 40), ops(op("work", kernels=kernels)), NOTHING)
    assert [choice.name for choice in found] == [name, name]
    told = [(offer.what, offer.nodes, offer.bytes < 0) for offer in bought(found)]
    assert told == ([("wide", ("y0", "y1"), True)] if name == "wide" else [])


def test_size_keeps_an_instance_where_the_other_kernel_has_a_general_form() -> None:
    """opt=size keeps an instance where a second kernel's general form is there, for a refused node,
    but slower.
    """

    def few(node: NodeView) -> Plan | Refused:
        return Plan(params(node)) if node.name == "y1" else Refused("other weights")

    fast = Code(instance=500, general=4000)
    slow = Code(instance=4000, general=600, slowdown=3.0)
    kernels = (kernel("few", cost=count, plan=few, code=fast), kernel(cost=count, code=slow))
    found = spent(chain(4, 4), ops(op("work", kernels=kernels)), NOTHING)
    assert [choice.name for choice in found] == ["reference", "few"]


@pytest.mark.parametrize(("cost", "name"), [(count, "reference"), (half, "simple")])
def test_a_node_joins_the_instance_of_a_kernel_as_fast(cost: Cost, name: str) -> None:
    """A node joins the instance of an equally fast kernel that a second node needs, as its first
    kernel refuses that node's sums.
    """

    def simple(node: NodeView) -> Plan | Refused:
        return Plan(params(node)) if node.name == "y1" else Refused("exceptions")

    kernels = (kernel("simple", cost=cost, plan=simple), kernel(cost=count))
    found = spent(chain(4, 4), ops(op("work", kernels=kernels)), UNLIMITED)
    assert [(choice.name, choice.specialised) for choice in found] == [
        ("reference", True),
        (name, True),
    ]
    assert (("y1",) in [offer.nodes for offer in bought(found)]) == (name == "simple")


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
    found = spent(chain(*range(1, 1001)), WEIGHTS, NOTHING)
    assert {choice.name for choice in found} == {"reference"}


def board(flash: int | None) -> Board:
    """Shipped board with the given bytes of flash, or a board without memories."""
    found = load_board("mps2_an386", [Path(__file__).parents[3] / "boards"])
    memory = {} if flash is None else {"flash": replace(found.memory["flash"], size=flash)}
    return replace(found, memory=memory)


@pytest.mark.parametrize(("asked", "opt", "flash", "budget"), [
    (5000, "balanced", 4096, 5000),
    (5000, "speed", 4096, 5000),
    (None, "speed", 4096, 4096),
    (None, "speed", None, None),
    (None, "balanced", 4096, 50 + 4 * 12 + ALLOWANCE),
])  # fmt: skip
def test_the_budget_is_as_asked_or_as_opt_says(
    asked: int | None, opt: str, flash: int | None, budget: int | None
) -> None:
    constants = [tensor("w", 50, value=1), tensor("b", 3, i32, value=1)]
    g = chain(4)
    more = {each.id: each for each in constants}
    g = replace(g, tensors={**g.tensors, **more}, outputs=(*g.outputs, *more))
    room, own = (flash, True) if asked is None and opt != "speed" else (None, False)
    found = flash_budget(asked, opt, board(flash), g)
    swelling = SWELLING[opt]
    assert found == FlashBudget(budget, room=room, as_stored=own, weighs=own, swelling=swelling)


def test_constants_that_may_lie_elsewhere_leave_flash_to_what_is_bought() -> None:
    """Constants free no more flash than they take, however large the other memory is."""
    g = chain(40, 40)
    large = tensor("w", 300, value=1)
    g = replace(g, tensors={**g.tensors, "w": large}, outputs=(*g.outputs, "w"))
    size = fixed(2) + 80
    elsewhere = (0, 220, 299, 300, 10_000)
    bought = [spent(g, WEIGHTS, FlashBudget(size, elsewhere=each)) for each in elsewhere]
    taken = [[choice.name for choice in choices].count("wide") for choices in bought]
    assert taken == [0, 0, 0, 1, 1]


def test_a_board_says_how_much_may_lie_elsewhere() -> None:
    rules = (ConstantsRule("qspi", limit=100), ConstantsRule("qspi", limit=28))
    found = replace(board(4096), constants=(*rules, ConstantsRule("ccm", copied=True)))
    memory = {**found.memory, "qspi": Memory(0x9000_0000, 4096), "ccm": Memory(0x1000_0000, 99)}
    found = replace(found, memory=memory)
    g = chain(4)
    assert flash_budget(None, "speed", found, g) == FlashBudget(
        4096, elsewhere=128, swelling=SWELLING["speed"]
    )
    assert flash_budget(5000, "balanced", found, g) == FlashBudget(5000, elsewhere=128)
    more = {name: tensor(name, size, value=1) for name, size in (("w", 60), ("v", 300))}
    g = replace(g, tensors={**g.tensors, **more})
    small = replace(found, constants=(ConstantsRule("qspi", at_most=100),))
    assert flash_budget(5000, "speed", small, g).elsewhere == 60, "the other has to lie in flash"
    assert flash_budget(None, "balanced", found, g).elsewhere == 0
