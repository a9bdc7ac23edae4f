"""Nodes get kernels of the side that costs least, or that the user asks for, with the reason."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from opsmith.board.device import Device
from opsmith.board.emitter import Emitter
from opsmith.ir import Graph, KernelChoice, Node, Side
from opsmith.ir.flow import Branch
from opsmith.op.describe import Op
from opsmith.op.hooks import Hooks
from opsmith.op.kernel import Kernel, Plan, Refused
from opsmith.op.view import NodeView
from opsmith.select.check_sides import affinity_problems, device_problems, required_problems
from opsmith.select.choice import NO_PREFERENCES, Preferences
from opsmith.select.flash_budget import UNLIMITED
from opsmith.select.flash_ledger import UNKNOWN
from opsmith.select.place import place
from opsmith.select.select_kernels import select_kernels
from opsmith.select.spend_flash import spend_flash
from tests.unit.graphs import VIEW, graph, kernel, node, op, ops, params, tensor

DEVICE = Device(
    "gpu", launch_ns=10, border_ns=20, byte_ns=1, instruction_ns=0.1, cpu_instruction_ns=1
)
FREE = replace(DEVICE, border_ns=0, byte_ns=0)
EMITTER = Emitter(Path("gpu/emitter.py"), ("calls.h",))


def on_device(name: str = "gpu", cost: float | None = 100, **options: Any) -> Kernel:
    """Kernel of the device, whose calls an emitter writes; it costs 10 ns and its launch by
    default.
    """
    declared = {} if cost is None else {"cost": lambda node: cost}
    return kernel(name, emitter=EMITTER, **declared, **options)


def on_processor(name: str = "reference", cost: float | None = 1000, **options: Any) -> Kernel:
    """Kernel of the processor."""
    declared = {} if cost is None else {"cost": lambda node: cost}
    return kernel(name, **declared, **options)


def refusing(node: NodeView) -> Plan | Refused:
    return Refused("y is odd")


BOTH = op("both", kernels=(on_device(), on_processor()))
CHEAP = op("cheap", kernels=(on_device(), on_processor(cost=3)))
ALONE = op("alone", kernels=(on_device(plan=refusing), on_processor(cost=3)))
NEVER = op("never", kernels=(on_processor(cost=3),))
UNTOLD = op("untold", kernels=(on_device(cost=None), on_processor(cost=None)))


def chain(*described: Op) -> Graph:
    """Graph of a chain of one node of each op, named a, b, …."""
    names = ["x", *"abcdefgh"[: len(described)]]
    nodes = [node(o.name, [names[i]], names[i + 1]) for i, o in enumerate(described)]
    return graph([tensor(name) for name in names], nodes, ["x"], [names[-1]])


def placed(
    described: Sequence[Op],
    device: Device = DEVICE,
    preferences: Preferences = NO_PREFERENCES,
    made: Graph | None = None,
    **options: Any,
) -> tuple[Node, ...]:
    """Nodes of a chain of the given ops, with their sides chosen."""
    index = ops(*{each.name: each for each in described}.values())
    chosen = select_kernels(made or chain(*described), index, frozenset(), preferences)
    return place(chosen, index, device, **options).nodes


def choice(node: Node) -> KernelChoice:
    assert node.kernel is not None
    return node.kernel


def side(node: Node) -> Side:
    found = choice(node).side
    assert found is not None
    return found


def sides(nodes: Sequence[Node]) -> list[str]:
    return [side(each).name for each in nodes]


def test_a_node_runs_where_it_costs_least_with_its_borders() -> None:
    (found,) = placed([BOTH])
    assert side(found) == Side(
        "gpu", "20 ns here, 1.0 µs on cpu, where borders take 48 ns less", 20
    )
    (found,) = placed([CHEAP])
    assert side(found) == Side("cpu", "3 ns here, 20 ns on gpu, where borders take 48 ns more", 3)


def test_it_gets_the_cheapest_kernel_of_its_side_and_those_of_the_other_are_refused() -> None:
    kernels = (on_device("slow", 200), on_device(), on_processor("plain", 900), on_processor())
    (found,) = placed([op("both", kernels=kernels)])
    assert (choice(found).name, choice(found).plan) == ("gpu", params_of(found))
    refused = {each.name: each.refused for each in choice(found).candidates}
    assert refused["slow"] == refused["gpu"] == ""
    assert refused["plain"] == refused["reference"]
    assert refused["plain"].startswith("the node runs on gpu: 20 ns here, 900 ns on cpu")
    least = "fewest nanoseconds of 2 kernels that fit: about 100, where slow takes 200"
    assert choice(found).why == least


def params_of(found: Node) -> Any:
    """Params of the chosen kernel's plan, looked up by the kernel's name."""
    return next(c.plan for c in choice(found).candidates if c.name == choice(found).name)


def test_a_cheap_node_stays_with_its_neighbours_and_one_without_a_kernel_does_not() -> None:
    assert sides(placed([BOTH, CHEAP, BOTH])) == ["gpu", "gpu", "gpu"]
    nodes = placed([BOTH, ALONE, NEVER, BOTH])
    assert sides(nodes) == ["gpu", "cpu", "cpu", "gpu"]
    assert side(nodes[1]).why == "no kernel for gpu: gpu: y is odd"
    assert side(nodes[2]).why == "no kernel for gpu"


def test_without_a_cost_a_node_is_taken_to_need_some_instructions_for_each_element() -> None:
    (found,) = placed([UNTOLD], FREE)
    needed = 4 * UNKNOWN
    assert side(found).ns == 10 + needed * DEVICE.instruction_ns
    assert f"{needed:.0f} ns on cpu" in side(found).why


def test_without_a_cost_multiplications_count_where_the_op_knows_them() -> None:
    heavy = replace(UNTOLD, hooks=Hooks(macs=lambda node: 5000))
    (found,) = placed([heavy])
    assert side(found).ns == 10 + 5000 * UNKNOWN * DEVICE.instruction_ns


def test_what_was_measured_in_nanoseconds_is_taken_as_it_is_without_borders() -> None:
    measured = {"a": {"gpu": 90, "reference": 80}}
    timed = Preferences(measured=measured)
    (found,) = placed([BOTH], DEVICE, timed, unit="nanoseconds")
    assert side(found).why == "80 ns here, 42 ns on gpu, where borders take 48 ns more"
    slow = replace(DEVICE, launch_ns=50)
    (found,) = placed([BOTH], slow, timed, unit="nanoseconds")
    assert side(found).why == "80 ns here, 50 ns on gpu, where borders take 48 ns more"
    (found,) = placed([BOTH], DEVICE, timed, unit="instructions")
    assert side(found).ns == 10 + 9


def test_what_a_device_measured_by_itself_has_no_launch_in_it() -> None:
    (found,) = placed(
        [BOTH],
        FREE,
        Preferences(measured={"a": {"gpu": 65, "reference": 80}}),
        unit="device_nanoseconds",
    )
    assert side(found).why == "75 ns here, 80 ns on cpu"


def test_a_preferred_kernel_decides_the_side() -> None:
    (found,) = placed([BOTH], FREE, Preferences(prefer="reference"))
    assert side(found) == Side("cpu", "prefer= names reference", 1000)
    (found,) = placed([CHEAP], DEVICE, Preferences(prefer="gpu"))
    assert side(found) == Side("gpu", "prefer= names gpu", 20)


def test_tune_gives_a_node_each_kernel_whatever_its_side() -> None:
    found = [placed([CHEAP], DEVICE, Preferences(candidate=n))[0] for n in range(2)]
    assert [choice(each).name for each in found] == ["gpu", "reference"]


def test_affinity_decides_the_side_and_the_last_pattern_counts() -> None:
    wanted = Preferences(affinity=(("*", "gpu"), ("b", "cpu")))
    nodes = placed([CHEAP, BOTH, ALONE], DEVICE, wanted)
    assert sides(nodes) == ["gpu", "cpu", "cpu"]
    assert side(nodes[0]).why == side(nodes[1]).why == "affinity= names it"
    assert side(nodes[2]).why == "no kernel for gpu: gpu: y is odd"


def test_affinity_goes_before_a_preferred_kernel_that_is_not_exact() -> None:
    def inexact(node: NodeView) -> Plan | Refused:
        return Plan(params(node), inexact="by 1")

    both = op("both", kernels=(on_device(plan=inexact), on_processor()))
    (found,) = placed([both], FREE, Preferences("gpu", affinity=(("a", "cpu"),)))
    assert (choice(found).name, found.remarks) == ("reference", ())
    (found,) = placed([both], FREE, Preferences("gpu"))
    assert found.remarks == ("NOT EXACT: gpu may differ from LiteRT: by 1",)


def test_required_nodes_run_on_the_device_and_the_others_are_reported() -> None:
    nodes = placed([CHEAP, ALONE, CHEAP], require=True)
    assert sides(nodes) == ["gpu", "cpu", "gpu"]
    assert side(nodes[0]).why == "require_gpu=1"
    (problem,) = required_problems(nodes, DEVICE)
    assert (problem.code, problem.where) == ("BLD036", "operator b")
    told = "b (alone) would run on the processor: no kernel for gpu: gpu: y is odd"
    assert problem.what == told
    assert problem.fix.startswith("give the op a kernel for gpu")


def test_a_node_that_the_user_keeps_from_the_device_needs_no_kernel() -> None:
    nodes = placed([CHEAP], FREE, Preferences("gpu", affinity=(("a", "cpu"),)), require=True)
    (problem,) = required_problems(nodes, DEVICE)
    assert problem.fix == "drop affinity=, prefer= or require_gpu="


def test_a_preferred_kernel_of_the_processor_is_what_is_to_be_dropped() -> None:
    nodes = placed([CHEAP], FREE, Preferences("reference"), require=True)
    (problem,) = required_problems(nodes, DEVICE)
    assert problem.fix == "drop affinity=, prefer= or require_gpu="


def test_a_view_that_no_kernel_of_the_device_computes_changes_no_side() -> None:
    nodes = placed([BOTH, VIEW, BOTH])
    assert sides(nodes) == ["gpu", "cpu", "gpu"]
    assert side(nodes[1]).why == "no kernel for gpu"


def test_where_nodes_may_run_in_any_order_each_pays_for_its_borders() -> None:
    dear = op("dear", kernels=(on_device(), on_processor(cost=60)))
    straight = chain(dear, dear, dear)
    branching = replace(straight, flow=(0, Branch("x", (1,), (2,))))
    assert sides(placed([dear] * 3, made=straight)) == ["gpu"] * 3
    assert sides(placed([dear] * 3, made=branching)) == ["cpu"] * 3


def test_a_state_that_a_node_changes_is_where_that_ran() -> None:
    stateful = op("stateful", ("x", "s"), kernels=(on_device(), on_processor(cost=200)))
    inputs = (stateful.inputs[0], replace(stateful.inputs[1], state=True))
    stateful, far = replace(stateful, inputs=inputs), op("far", ("x", "s"), kernels=NEVER_KERNELS)
    tensors = [tensor(name) for name in "xab"] + [tensor("s", 500, variable=True)]
    twice = [node("stateful", ["x", "s"], "a"), node("stateful", ["a", "s"], "b")]
    made = graph(tensors, twice, ["x"], ["b"])
    assert sides(placed([stateful], made=made)) == ["gpu", "gpu"]
    mixed = replace(made, nodes=(twice[0], node("far", ["a", "s"], "b")))
    assert sides(placed([stateful, far], made=mixed)) == ["cpu", "cpu"]


NEVER_KERNELS = NEVER.variants[0].kernels


def larger(node: NodeView) -> Plan | Refused:
    return Plan(params(node), growth=1)


def test_flash_buys_no_kernel_of_the_other_side() -> None:
    bought = on_processor("bought", 1, plan=larger)
    index = ops(op("both", kernels=(bought, on_device(), on_processor())))
    chosen = select_kernels(chain(index["both"]), index, frozenset())
    (found,) = spend_flash(place(chosen, index, DEVICE), index, UNLIMITED).nodes
    assert choice(found).name == "gpu"
    kept = Preferences(affinity=(("a", "cpu"),))
    chosen = select_kernels(chain(index["both"]), index, frozenset(), kept)
    (found,) = spend_flash(place(chosen, index, DEVICE), index, UNLIMITED).nodes
    assert (choice(found).name, side(found).name) == ("bought", "cpu")


@pytest.mark.parametrize(("entry", "told"), [
    (("bb", "cpu"), "no node is called 'bb' (did you mean 'b'?)"),
    (("q*", "cpu"), "no node is called 'q*'"),
    (("a", "gpi"), "'gpi' is no side to run on (did you mean 'gpu'?)"),
    (("", "a"), "'a' names no node"),
    (("", "gpu"), "'gpu' names no node"),
    (("b", "gpu"), "no kernel on gpu takes b (alone): gpu: y is odd"),
    (("c", "gpu"), "no kernel on gpu takes c (never): the op has none"),
    (("a", "gpu"), ""),
    (("*", "gpu"), ""),
])  # fmt: skip
def test_an_affinity_that_cannot_be_is_reported(entry: tuple[str, str], told: str) -> None:
    described, wanted = (BOTH, ALONE, NEVER), Preferences(affinity=(entry,))
    chosen = select_kernels(chain(*described), ops(*described), frozenset(), wanted)
    found = [f"{each.code} {each.what}" for each in affinity_problems(chosen, wanted, DEVICE)]
    assert found == ([f"BLD039 {told}"] if told else [])


def test_every_node_of_a_model_without_nodes_may_run_anywhere() -> None:
    found = [
        list(affinity_problems(chain(), Preferences(affinity=((name, "gpu"),)), DEVICE))
        for name in ("*", "a")
    ]
    assert [len(each) for each in found] == [0, 1]


def test_an_affinity_that_a_later_one_overrides_is_no_mistake() -> None:
    wanted = Preferences(affinity=(("a", "gpu"), ("a", "cpu")))
    chosen = select_kernels(chain(BOTH), ops(BOTH), frozenset(), wanted)
    assert not list(affinity_problems(chosen, wanted, DEVICE))


def test_options_about_sides_need_a_device() -> None:
    codes = [each.code for each in device_problems(None, ["a:cpu"], require=True)]
    assert codes == ["BLD039", "BLD036"]
    assert not list(device_problems(DEVICE, ["a:cpu"], require=True))
    assert not list(device_problems(None, [], require=False))
