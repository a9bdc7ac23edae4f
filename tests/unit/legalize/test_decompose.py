"""Composite before custom: who wins is in the report, with the reason."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from opsmith.ir import Graph, Node
from opsmith.ir.types import i8
from opsmith.legalize.decompose import decompose
from opsmith.op.declare import Attribute, Decompose
from opsmith.op.index import OpIndex
from opsmith.op.view import GraphBuilder, NodeView
from tests.unit.graphs import graph, kernel, node, op, ops, tensor

PART = op("part", ("x", "b?"), attributes=(Attribute("k", int, default=1),))
TAKEN = "part of whole, decomposed: all parts are supported and no kernel says over_composite="


def twice(node: NodeView, builder: GraphBuilder) -> None:
    """Nodes that compute part(part(x), b)."""
    x, y = node["x"], node["y"]
    middle = builder.tensor("middle", i8, x.shape, x.quantization)
    builder.node("part", [x], [middle])
    b = builder.tensor("b", i8, x.shape, x.quantization, np.ones(x.shape))
    builder.node("part", [middle, b], [y], k=2)


def known(into: Any = twice, **options: Any) -> OpIndex:
    """Index of `part`, and of `whole`, which decomposes into parts."""
    kernels = (kernel("fast", requires={"dsp"}, over_composite=True), kernel())
    rule = Decompose(into, **options)
    return ops(PART, op("whole", decompose=rule, kernels=kernels))


def of_one() -> Graph:
    """Graph of y = whole(x)."""
    return graph([tensor("x"), tensor("y")], [node("whole", ["x"], "y")], ["x"], ["y"])


def result(index: OpIndex, features: frozenset[str] | None = frozenset()) -> tuple[Node, ...]:
    """Nodes of the graph after decomposition."""
    return decompose(of_one(), index, features).nodes


def test_the_parts_take_the_place_of_the_node() -> None:
    made = decompose(of_one(), known(), frozenset())
    first, second = made.nodes
    assert (first.op, first.inputs, first.attributes) == ("part", ("x", None), {"k": 1})
    assert (second.op, second.inputs) == ("part", (first.outputs[0], "y_b"))
    assert (second.outputs, second.attributes) == (("y",), {"k": 2})
    assert made.tensors["y_b"].data.tolist() == [1, 1, 1, 1]
    assert [n.remarks for n in made.nodes] == [(TAKEN,), (TAKEN,)]
    assert first.source == second.source == "operator y"


def test_a_kernel_may_be_better_where_its_features_are() -> None:
    (kept,) = result(known(), frozenset({"dsp"}))
    assert kept.remarks == ("kept whole: fast says over_composite=",)
    assert len(result(known(), frozenset({"mve"}))) == 2
    assert len(result(known(), None)) == 2


def test_a_condition_that_does_not_hold() -> None:
    (kept,) = result(known(when=lambda node: node["x"].elements > 9))
    assert kept.remarks == ("kept whole: when= of its decompose= does not hold",)


@pytest.mark.parametrize(("of_part", "made"), [(2.0, ["part", "part"]), (3.0, ["whole"])])
def test_a_decomposition_may_be_for_what_it_saves(of_part: float, made: list[str]) -> None:
    rule = Decompose(twice, cheaper=True)
    index = ops(PART, op("whole", decompose=rule))

    def cost(graph: Graph, node: Node) -> float:
        return 6.0 if node.op == "whole" else of_part

    found = decompose(of_one(), index, frozenset(), cost=cost).nodes
    assert [node.op for node in found] == made
    (kept,) = result(index)
    assert kept.remarks == ("kept whole: the other ops cost no less",)
    elsewhere = op("whole", decompose=replace(rule, when=lambda node: False))
    (usual,) = result(ops(PART, elsewhere))
    assert usual.remarks == ()


def unknown_op(node: NodeView, builder: GraphBuilder) -> None:
    """Decomposition into an op that does not exist."""
    builder.node("prt", [node["x"]], [node["y"]])


def unknown_attribute(node: NodeView, builder: GraphBuilder) -> None:
    """Decomposition with an attribute that does not exist."""
    builder.node("part", [node["x"]], [node["y"]], kk=1)


def wrong_attribute(node: NodeView, builder: GraphBuilder) -> None:
    """Decomposition with an attribute of a wrong type."""
    builder.node("part", [node["x"]], [node["y"]], k="one")


def wrong_shape(node: NodeView, builder: GraphBuilder) -> None:
    """Decomposition into a node that its op refuses."""
    builder.node("part", [builder.tensor("z", i8, (9,))], [node["y"]])


@pytest.mark.parametrize(("into", "reason"), [
    (unknown_op, "op 'prt' is not known (did you mean 'part'?)"),
    (unknown_attribute, "part has no attribute 'kk' (did you mean 'k'?)"),
    (wrong_attribute, "attribute 'k' is 'one', no int"),
    (wrong_shape, "part: 'y' is i8[4] where i8[9] follows from the inputs"),
])  # fmt: skip
def test_what_is_not_supported_keeps_the_node_whole(into: Any, reason: str) -> None:
    (kept,) = result(known(into))
    assert kept.op == "whole"
    assert kept.remarks == (f"kept whole: {reason}",)


def test_new_tensors_keep_clear_of_those_that_are_there() -> None:
    start = of_one()
    taken = replace(start, tensors={**start.tensors, "y_middle": tensor("y_middle", 9)})
    made = decompose(replace(taken, inputs=("x", "y_middle")), known(), frozenset())
    assert made.tensors["y_middle"].shape == (9,)
    assert made.nodes[0].outputs != ("y_middle",)


def test_parts_may_be_made_of_parts() -> None:
    def halves(node: NodeView, builder: GraphBuilder) -> None:
        builder.node("whole", [node["x"]], [node["y"]])

    index = ops(
        *[known()[name] for name in known().by_name], op("more", decompose=Decompose(halves))
    )
    start = of_one()
    start = replace(start, nodes=(replace(start.nodes[0], op="more"),))
    made = decompose(start, index, frozenset()).nodes
    assert [n.op for n in made] == ["part", "part"]
    assert made[0].remarks[0].startswith("part of more, decomposed")
    assert made[0].remarks[1] == TAKEN
