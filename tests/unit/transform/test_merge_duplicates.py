"""Tests that nodes which compute alike become one node."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from opsmith.ir import Graph, Node, Quantization
from opsmith.ir.types import i8
from opsmith.op.declare import Attribute, State
from opsmith.transform.merge_duplicates import merge_duplicates
from tests.unit.graphs import COPY, JOIN, graph, node, op, ops, tensor

OPS = ops(
    COPY,
    JOIN,
    op("scaled", attributes=(Attribute("by", int), Attribute("table", i8))),
    op("counts", states=(State("count", i8, lambda node: 1),)),
)
TABLE = np.arange(3, dtype=np.int8)


def twins(one: Node, other: Node) -> Graph:
    """Graph of two nodes from x to a and b, and a node z that joins both."""
    tensors = [tensor(name) for name in "xyabz"] + [tensor("k", value=1), tensor("l", value=1)]
    nodes = [one, other, node("join", ["a", "b", None], "z")]
    return graph(tensors, nodes, ["x", "y"], ["z"])


def scaled(output: str, by: int = 2) -> Node:
    return node("scaled", ["x"], output, by=by, table=TABLE.copy())


ALIKE = [
    (node("copy", ["x"], "a"), node("copy", ["x"], "b")),
    (scaled("a"), scaled("b")),
    (node("join", ["x", "k", None], "a"), node("join", ["x", "l", None], "b")),
]
UNLIKE = [
    (node("copy", ["x"], "a"), node("copy", ["y"], "b")),
    (scaled("a"), scaled("b", by=3)),
    (node("join", ["x", "k", None], "a"), node("join", ["x", None, "k"], "b")),
    (node("counts", ["x"], "a"), node("counts", ["x"], "b")),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_the_first_of_two_is_left(one: Node, other: Node) -> None:
    after = merge_duplicates(twins(one, other), OPS)
    assert [(each.op, each.outputs) for each in after.nodes] == [(one.op, ("a",)), ("join", ("z",))]
    assert after.nodes[1].inputs == ("a", "a", None)


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_nodes_that_differ_stay(one: Node, other: Node) -> None:
    before = twins(one, other)
    assert merge_duplicates(before, OPS).nodes == before.nodes


def with_other_scale(g: Graph) -> Graph:
    b = replace(g.tensors["b"], quantization=Quantization((0.25,), (0,)))
    return replace(g, tensors={**g.tensors, "b": b})


def with_state(g: Graph) -> Graph:
    return replace(g, tensors={**g.tensors, "x": replace(g.tensors["x"], variable=True)})


def with_outputs(g: Graph) -> Graph:
    return replace(g, outputs=("z", "a", "b"))


@pytest.mark.parametrize("change", [with_other_scale, with_state, with_outputs])
def test_nodes_stay_that_could_be_told_apart(change: Callable[[Graph], Graph]) -> None:
    before = change(twins(*ALIKE[0]))
    assert merge_duplicates(before, OPS).nodes == before.nodes


def test_one_output_keeps_its_name() -> None:
    after = merge_duplicates(replace(twins(*ALIKE[0]), outputs=("z", "b")), OPS)
    assert [each.outputs for each in after.nodes] == [("b",), ("z",)]
    assert after.nodes[1].inputs == ("b", "b", None)


def test_what_reads_duplicates_is_a_duplicate() -> None:
    tensors = [tensor(name) for name in "xabcdz"]
    nodes = [node("copy", [i], o) for i, o in ("xa", "xb", "ac", "bd")]
    before = graph(tensors, [*nodes, node("join", ["c", "d", None], "z")], ["x"], ["z"])
    after = merge_duplicates(before, OPS)
    assert [each.outputs for each in after.nodes] == [("a",), ("c",), ("z",)]
