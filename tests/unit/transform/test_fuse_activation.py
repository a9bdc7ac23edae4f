"""Clamps move into the node in front, where that changes no byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.unit.graphs import COPY, FRONT, graph, node, op, ops, tensor
from toolchain.ir import Graph, Quantization
from toolchain.op.view import NodeView
from toolchain.transform.fuse_activation import fuse_activation


def clamp(node: NodeView) -> str | None:
    """As ops are to have it: None at unequal quantisation."""
    return "RELU" if node["x"].quantization == node["y"].quantization else None


def careless(node: NodeView) -> str | None:
    """A clamp that does not look at the quantisation."""
    return "RELU6"


OPS = ops(
    COPY,
    FRONT,
    op("clamp", traits={"clamps"}, clamp=clamp),
    op("careless", traits={"clamps"}, clamp=careless),
)
OTHER = Quantization((0.25,), (0,))


def front_and_clamp() -> Graph:
    """x -> front -> a -> clamp -> y."""
    tensors = [tensor("x"), tensor("a"), tensor("y")]
    nodes = [node("front", ["x"], "a", activation="NONE"), node("clamp", ["a"], "y")]
    return graph(tensors, nodes, ["x"], ["y"])


def test_a_clamp_moves_into_the_node_in_front() -> None:
    after = fuse_activation(front_and_clamp(), OPS)
    (only,) = after.nodes
    assert (only.op, only.name, only.outputs) == ("front", "a", ("y",))
    assert only.attributes == {"activation": "RELU"}
    assert only.remarks == ("RELU of operator y fused",)
    assert set(after.tensors) == {"x", "y"}


def with_second_reader(g: Graph) -> Graph:
    tensors = {**g.tensors, "z": tensor("z")}
    return replace(g, tensors=tensors, nodes=(*g.nodes, node("copy", ["a"], "z")))


def with_activation(g: Graph) -> Graph:
    front = replace(g.nodes[0], attributes={"activation": "RELU6"})
    return replace(g, nodes=(front, g.nodes[1]))


def with_other_scale(g: Graph) -> Graph:
    y = replace(g.tensors["y"], quantization=OTHER)
    return replace(g, tensors={**g.tensors, "y": y})


def with_other_shape(g: Graph) -> Graph:
    y = replace(g.tensors["y"], shape=(2, 2))
    return replace(g, tensors={**g.tensors, "y": y})


def with_careless_clamp(g: Graph) -> Graph:
    g = with_other_scale(g)
    return replace(g, nodes=(g.nodes[0], replace(g.nodes[1], op="careless")))


def behind_another_op(g: Graph) -> Graph:
    return replace(g, nodes=(replace(g.nodes[0], op="copy", attributes={}), g.nodes[1]))


def of_an_input(g: Graph) -> Graph:
    return replace(g, nodes=(replace(g.nodes[1], inputs=("x",)),))


def of_an_output(g: Graph) -> Graph:
    return replace(g, outputs=("y", "a"))


@pytest.mark.parametrize(
    "change",
    [
        with_second_reader,
        with_activation,
        with_other_scale,
        with_other_shape,
        with_careless_clamp,
        behind_another_op,
        of_an_input,
        of_an_output,
    ],
)
def test_a_clamp_stays_where_bytes_would_change(change: Callable[[Graph], Graph]) -> None:
    before = change(front_and_clamp())
    assert fuse_activation(before, OPS).nodes == before.nodes


def test_of_two_clamps_the_first_moves() -> None:
    g = front_and_clamp()
    nodes = (*g.nodes, node("clamp", ["y"], "z"))
    g = replace(g, tensors={**g.tensors, "z": tensor("z")}, nodes=nodes, outputs=("z",))
    after = fuse_activation(g, OPS)
    assert [(each.op, each.outputs) for each in after.nodes] == [
        ("front", ("y",)),
        ("clamp", ("z",)),
    ]
