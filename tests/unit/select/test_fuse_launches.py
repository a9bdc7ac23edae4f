"""Nodes of the device that one launch computes in less time become one node, and others say why."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from opsmith.board.emitter import runtime_feature
from opsmith.ir import Graph, Node
from opsmith.op.declare import Match, Matched, Output
from opsmith.op.describe import Op
from opsmith.op.view import GraphReader, NodeView
from opsmith.select.choice import NO_PREFERENCES, Preferences
from opsmith.select.fuse_launches import fuse_launches
from opsmith.select.place import place
from opsmith.select.select_kernels import select_kernels
from opsmith.select.tuning import EVENTS
from opsmith.transform.match_subgraphs import match_subgraphs
from tests.unit.graphs import graph, node, op, ops, tensor
from tests.unit.select.test_place import BOTH, DEVICE, NEVER, choice, on_device, on_processor, side


def find(last: NodeView, reader: GraphReader) -> Matched | None:
    """Find two nodes of op `both`, the second of which reads the first's output."""
    first = reader.producer(last["x"], "both")
    if first is None:
        return None
    return Matched((first.name, last.name), {"x": first["x"].id}, {"y": last["y"].id})


def pair(cost: float = 100, **options: Any) -> Op:
    """Op that computes two of `both`; each costs 10 ns, and 10 ns for its launch."""
    match = Match("both", find, on_device=True)
    return op("pair", kernels=(on_device("at_once", cost),), match=match, **options)


def two(*outputs: str, variable: bool = False) -> Graph:
    """Graph of one node after the other."""
    tensors = [tensor("x", variable=variable), tensor("a"), tensor("b")]
    nodes = [node("both", ["x"], "a"), node("both", ["a"], "b")]
    return graph(tensors, nodes, [] if variable else ["x"], outputs or ["b"])


def fused(
    made: Graph, whole: Op, *others: Op, preferences: Preferences = NO_PREFERENCES
) -> tuple[Node, ...]:
    """Nodes of the graph after kernels and pairs are chosen."""
    index = ops(BOTH, whole, *others)
    chosen = select_kernels(made, index, frozenset(), preferences)
    there = place(chosen, index, DEVICE, unit=preferences.unit)
    return fuse_launches(there, index, DEVICE, frozenset()).nodes


def remarks(nodes: Sequence[Node]) -> list[tuple[str, ...]]:
    return [each.remarks for each in nodes]


def test_two_nodes_are_one_where_one_launch_takes_less() -> None:
    (found,) = fused(two(), pair(cost=290))
    assert (found.name, found.op, found.inputs, found.outputs) == ("b", "pair", ("x",), ("b",))
    assert found.remarks == ("in one launch: a (operator a), b (operator b)",)
    assert choice(found).name == "at_once"
    assert (side(found).name, side(found).ns) == ("gpu", 39)
    assert side(found).why.endswith("; 39 ns in one launch, 40 ns in 2")


def test_they_stay_two_where_it_takes_as_long() -> None:
    nodes = fused(two(), pair(cost=300))
    why = "not in one launch with a (operator a): 40 ns in one launch, 40 ns in 2"
    assert remarks(nodes) == [(), (why,)]
    assert [choice(each).name for each in nodes] == ["gpu", "gpu"]


def find_both(last: NodeView, reader: GraphReader) -> Matched | None:
    """Find two nodes of op `both`, and keep the outputs of both."""
    found = find(last, reader)
    if found is None:
        return None
    return replace(found, outputs={"first": found.nodes[0], "y": found.nodes[1]})


@pytest.mark.parametrize(("early", "count"), [(True, 3), (False, 2)])
def test_what_another_node_reads_before_the_last_is_not_made_later(early: bool, count: int) -> None:
    whole = replace(
        pair(cost=0),
        outputs=(Output("first", "T"), Output("y", "T")),
        infer=lambda node: [node["x"].type] * 2,
        match=Match("both", find_both, on_device=True),
    )
    ends = [node("never", ["a"], "c"), node("both", ["a"], "b")]
    nodes = [node("both", ["x"], "a"), *(ends if early else reversed(ends))]
    made = graph([tensor(name) for name in "xabc"], nodes, ["x"], ["b", "c"])
    assert len(fused(made, whole, NEVER)) == count


def odd(node: NodeView) -> Iterator[str]:
    yield "x is odd"


@pytest.mark.parametrize(("made", "whole", "why"), [
    (two("a", "b"), pair(), "other nodes read what lies between them"),
    (two(variable=True), pair(), "x, which they read, is written more than once"),
    (two(), pair(check=odd), "pair: x is odd"),
])  # fmt: skip
def test_they_stay_two_where_one_node_cannot_take_their_place(
    made: Graph, whole: Op, why: str
) -> None:
    assert remarks(fused(made, whole))[-1] == (f"not in one launch with a (operator a): {why}",)


def test_what_the_user_wants_of_a_node_goes_before() -> None:
    cpu = Preferences(affinity=(("a", "cpu"),))
    nodes = fused(two(), pair(), preferences=cpu)
    assert remarks(nodes)[1] == ("not in one launch with a (operator a): a runs on cpu",)
    nodes = fused(two(), pair(), preferences=Preferences(prefer="gpu"))
    assert remarks(nodes)[1] == ("not in one launch with a (operator a): prefer= names gpu",)


def test_nothing_is_said_where_no_node_is_on_the_device() -> None:
    nodes = fused(two(), pair(), preferences=Preferences(affinity=(("*", "cpu"),)))
    assert remarks(nodes) == [(), ()]


def test_a_kernel_that_runs_elsewhere_takes_no_place() -> None:
    match = Match("both", find, on_device=True)
    nodes = fused(two(), op("pair", kernels=(on_processor(cost=0),), match=match))
    assert len(nodes) == 2


def test_each_node_is_in_one_launch_only_and_others_stay() -> None:
    tensors = [tensor(name) for name in "xabcd"]
    chain = [node("both", [x], y) for x, y in ("xa", "ab", "bc")] + [node("never", ["c"], "d")]
    nodes = fused(graph(tensors, chain, ["x"], ["d"]), pair(), NEVER)
    assert [(each.op, each.inputs) for each in nodes] == [
        ("pair", ("x",)),
        ("both", ("b",)),
        ("never", ("c",)),
    ]


def test_before_nodes_are_placed_nothing_is_matched() -> None:
    index = ops(BOTH, pair())
    assert match_subgraphs(two(), index) == two()
    early = replace(pair(), match=Match("both", find))
    assert [each.op for each in match_subgraphs(two(), ops(BOTH, early)).nodes] == ["pair"]


def test_an_op_with_kernels_for_another_runtime_alone_takes_no_place() -> None:
    kernel = on_device("at_once", runtime="another", requires={runtime_feature("another")})
    match = Match("both", find, on_device=True)
    nodes = fused(two(), op("pair", kernels=(kernel,), match=match))
    why = "b (pair): the op has kernels for runtime=another alone"
    assert remarks(nodes) == [(), (f"not in one launch with a (operator a): {why}",)]


@pytest.mark.parametrize("measured", [1, 1_000_000])
def test_what_tune_measured_of_nodes_is_not_compared_with_a_declared_cost(measured: int) -> None:
    figures = {"gpu": measured, "reference": 2_000_000}
    tuned = Preferences(measured={"a": figures, "b": figures}, unit=EVENTS)
    (found,) = fused(two(), pair(cost=290), preferences=tuned)
    assert side(found).why.endswith("; 39 ns in one launch, 40 ns in 2")
    assert [each.op for each in fused(two(), pair(cost=300), preferences=tuned)] == ["both"] * 2
