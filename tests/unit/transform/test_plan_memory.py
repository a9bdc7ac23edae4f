"""The memory plan, run by a checker that knows bytes and nothing of plans."""

from dataclasses import replace
from itertools import pairwise

import pytest

from opsmith.board.describe import ArenaRule
from opsmith.errors import ToolchainError
from opsmith.ir import Graph, MemoryPlan, Node
from opsmith.ir.flow import Branch, Flow, Loop
from opsmith.ir.verify import verify
from opsmith.op.kernel import every_node
from opsmith.op.overlap import Distance
from opsmith.schedule.plan_memory import plan_memory
from tests.unit.graphs import chosen, graph, kernel, node, ops, params, tensor
from tests.unit.graphs import op as toy
from tests.unit.transform.memory_ops import OPS, trace, views
from tests.unit.transform.plan_checker import plan_problems


def plan(made: Graph, *rules: ArenaRule) -> MemoryPlan:
    found = plan_memory(made, OPS, "ram", rules).plan
    assert found is not None
    return found


def problems(planned: Graph) -> list[str]:
    return list(plan_problems(planned, trace, views))


def chain(op: str, sizes: list[int], **attributes: int) -> Graph:
    names = [f"t{i}" for i in range(len(sizes))]
    nodes = [node(op, [a], b, **attributes) for a, b in pairwise(names)]
    tensors = [tensor(n, size) for n, size in zip(names, sizes, strict=True)]
    return chosen(graph(tensors, nodes, names[:1], names[-1:]), OPS)


def test_a_view_is_where_its_input_is() -> None:
    nodes = [node("copy", ["x"], "a"), node("view", ["a"], "b"), node("view", ["b"], "c")]
    made = chosen(
        graph([tensor(n, 20) for n in "xabcy"], [*nodes, node("copy", "c", "y")], "x", "y"), OPS
    )
    found = plan(made)
    a, b, c = (found.placements[name] for name in "abc")
    assert a.offset == b.offset == c.offset
    assert [(p.first, p.last) for p in (a, b, c)] == [(0, 1), (1, 2), (2, 3)]
    assert found.arenas == {"ram": 64}


def test_a_view_of_a_constant_has_a_place_of_its_own() -> None:
    made = graph([tensor("k", value=1), tensor("y")], [node("view", ["k"], "y")], "", "y")
    assert set(plan(chosen(made, OPS)).placements) == {"y"}


def test_what_is_concatenated_lies_in_the_output() -> None:
    nodes = [
        node("copy", ["x"], "a"),
        node("copy", ["x"], "b"),
        node("concat", ["a", "b", None], "y"),
    ]
    tensors = [tensor("x", 32), tensor("a", 32), tensor("b", 16), tensor("y", 48)]
    found = plan(chosen(graph(tensors, nodes, "x", "y"), OPS))
    y = found.placements["y"].offset
    assert (found.placements["a"].offset, found.placements["b"].offset) == (y, y + 32)
    assert found.arenas == {"ram": 80}


def test_what_is_concatenated_twice_lies_in_one_output_only() -> None:
    nodes = [
        node("copy", ["x"], "a"),
        node("concat", ["a", "x", None], "y"),
        node("concat", ["a", "a", None], "z"),
    ]
    tensors = [tensor("x", 16), tensor("a", 16), tensor("y", 32), tensor("z", 32)]
    planned = plan_memory(chosen(graph(tensors, nodes, "x", "yz"), OPS), OPS, "ram")
    assert problems(planned) == []


def test_a_chain_that_shares_nothing_needs_two_buffers() -> None:
    found = plan(chain("copy", [16] * 8))
    assert found.arenas == found.lower_bounds == {"ram": 32}


WINDOW = {"window": 3, "stride": 1, "dilation": 1, "padding": 1, "x_channels": 16, "y_channels": 16}


def test_a_chain_of_windows_moves_up_and_down() -> None:
    made = chain("mix", [320] * 6, size=20, pixels=20, **WINDOW)
    planned = plan_memory(made, OPS, "ram")
    assert planned.plan is not None
    assert planned.plan.arenas == {"ram": 320 + 2 * 16}  # two pixels: what a window looks back at
    assert [n.reversed for n in planned.nodes] == [True, False, True, False, True]
    assert problems(planned) == []


def test_element_by_element_an_output_replaces_its_input() -> None:
    nodes = [node("copy", ["x"], "a"), node("copy", ["a"], "b"), node("pair", ["a", "b"], "y")]
    made = chosen(graph([tensor(n, 32) for n in "xaby"], nodes, "x", "y"), OPS)
    assert plan(made).arenas == {"ram": 64}


def test_scratch_lives_with_its_node() -> None:
    made = graph([tensor("x"), tensor("y")], [node("scratch_70", "x", "y")], "x", "y")
    scratch = plan(chosen(made, OPS)).placements["y.s"]
    assert (scratch.bytes, scratch.first, scratch.last) == (70, 0, 0)


def test_rules_say_where_tensors_go() -> None:
    made = chain("copy", [64, 16, 32, 48, 16])
    only_inner = plan(made, ArenaRule("ccm", ("inner",)))
    assert {n: p.memory for n, p in only_inner.placements.items()} == {
        "t0": "ram", "t1": "ccm", "t2": "ccm", "t3": "ccm", "t4": "ram"
    }  # fmt: skip
    limited = plan(made, ArenaRule("ccm", at_most=48, limit=48))
    assert limited.placements["t3"].memory == "ccm"
    assert limited.arenas["ccm"] == 48
    by_order = plan(made, ArenaRule("ram", ("output",)), ArenaRule("ccm"))
    assert by_order.placements["t4"].memory == "ram"


@pytest.mark.parametrize("wrong", ["a", "y"])
def test_the_checker_finds_an_overwritten_tensor(wrong: str) -> None:
    nodes = [node("copy", ["x"], "a"), node("join", ["a", "x", None], "y")]
    planned = plan_memory(
        chosen(graph([tensor(n) for n in "xay"], nodes, "x", "y"), OPS), OPS, "ram"
    )
    assert planned.plan is not None
    places = {**planned.plan.placements}
    places[wrong] = replace(places[wrong], offset=places["x"].offset)
    moved = replace(planned, plan=replace(planned.plan, placements=places))
    assert any("x, whose bytes 0, 1, 2 were overwritten" in text for text in problems(moved))


def test_the_checker_finds_a_pixel_that_comes_too_close() -> None:
    planned = plan_memory(chain("mix", [320, 320], size=20, pixels=20, **WINDOW), OPS, "ram")
    assert planned.plan is not None
    places = {**planned.plan.placements}
    near = places["t1"].offset - 16 if places["t1"].offset else 16
    places["t1"] = replace(places["t1"], offset=near)
    moved = replace(planned, plan=replace(planned.plan, placements=places))
    assert any("t0, whose bytes" in text for text in problems(moved))


def test_a_backward_walk_needs_params_that_tell_of_it() -> None:
    plan = every_node(params, overlap=lambda node: {"x": Distance(0, 0)})
    mixed = ops(toy("mixed", kernels=(kernel(plan=plan),)))
    made = chosen(graph([tensor("x"), tensor("y")], [node("mixed", ["x"], "y")], "x", "y"), mixed)
    with pytest.raises(ToolchainError, match="OPS062.*no 'reversed'"):
        plan_memory(made, mixed, "ram")


def looped(nodes: list[Node], blocks: list[int], flow: Flow) -> Graph:
    """Planned graph from x to y, in which nodes of the given blocks write `go` repeatedly."""
    names = dict.fromkeys(["x", *(each.outputs[0] for each in nodes)])
    tensors = [replace(tensor(name, 32), joined=name == "go") for name in names]
    placed = [replace(each, block=block) for each, block in zip(nodes, blocks, strict=True)]
    made = replace(graph(tensors, placed, "x", "y"), flow=flow)
    return verify(plan_memory(chosen(made, OPS), OPS, "ram"), "planned")


def test_a_condition_that_every_pass_looks_at_before_any_node_stays_until_the_end() -> None:
    nodes = [
        *(node("copy", ["x"], name) for name in ("c", "go", "a", "b")),
        replace(node("copy", ["x"], "go"), name="again"),
        node("copy", ["go"], "y"),
    ]
    flow = (0, Loop("go", (1,), (2, Branch("c", (3,), (4,)), 5)), 6)
    found = looped(nodes, [0, 0, 3, 4, 5, 6], flow).plan
    assert found is not None
    assert found.placements["c"].last == 4


def test_the_last_node_of_a_loop_does_not_overwrite_what_the_next_pass_reads() -> None:
    nodes = [
        *(node("copy", ["x"], name) for name in ("a", "go")),
        replace(node("copy", ["x"], "go"), name="again"),
        node("pair", ["a", "a"], "unread"),
        node("copy", ["go"], "y"),
    ]
    planned = looped(nodes, [0, 0, 2, 2, 3], (0, Loop("go", (1,), (2,)), 3))
    twice = (*planned.nodes[:4], *planned.nodes[2:])
    assert problems(replace(planned, nodes=twice)) == []
