"""Clamps move into the node in front, where that changes no byte."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from opsmith.ir import Graph, Quantization
from opsmith.ir.types import DType, f32, i32
from opsmith.op.clamp import CLAMP_ATTRIBUTES, clamped
from opsmith.op.hooks import Hooks
from opsmith.op.view import NodeView
from opsmith.transform.fuse_activation import fuse_activation
from tests.unit.graphs import COPY, FRONT, graph, node, op, ops, tensor


def clamp(node: NodeView) -> str | None:
    """Clamp as ops are to have one: None at unequal quantisation."""
    return "RELU" if node["x"].quantization == node["y"].quantization else None


def careless(node: NodeView) -> str | None:
    """Clamp that ignores the quantisation."""
    return "RELU6"


OPS = ops(
    COPY,
    FRONT,
    op("clamp", hooks=Hooks(clamp=clamp)),
    op("careless", hooks=Hooks(clamp=careless)),
    op("narrow", hooks=Hooks(clamp=lambda node: (-5, 90))),
    op("narrower", hooks=Hooks(clamp=lambda node: (-50, 7))),
    op("able", attributes=CLAMP_ATTRIBUTES, traits={"fuses_activation"}),
)
OTHER = Quantization((0.25,), (0,))


def front_and_clamp() -> Graph:
    """Graph x -> front -> a -> clamp -> y."""
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


@pytest.mark.parametrize("change", [
    with_second_reader, with_activation, with_other_scale, with_other_shape, with_careless_clamp,
    behind_another_op, of_an_input, of_an_output,
])  # fmt: skip
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


@pytest.mark.parametrize(("activation", "clamps", "wanted"), [
    ("NONE", ["narrow"], {"activation": "NONE", "clamp": (-5, 90)}),
    ("NONE", ["narrow", "narrower"], {"activation": "NONE", "clamp": (-5, 7)}),
    ("NONE", ["clamp", "narrower"], {"activation": "RELU", "clamp": (-50, 7)}),
    ("NONE", ["narrower", "clamp"], {"activation": "NONE", "clamp": (0, 7)}),
    ("RELU6", ["clamp"], {"activation": "RELU6", "clamp": (0, 127)}),
])  # fmt: skip
def test_bounds_move_into_an_op_that_has_an_attribute_for_them(
    activation: str, clamps: list[str], wanted: dict[str, object]
) -> None:
    names = ["a", *(f"y{i}" for i in range(len(clamps)))]
    first = node("able", ["x"], "a", activation=activation, clamp=())
    pairs = zip(clamps, names, names[1:], strict=False)
    nodes = [first, *(node(name, [before], after) for name, before, after in pairs)]
    tensors = [tensor(name) for name in ["x", *names]]
    (only,) = fuse_activation(graph(tensors, nodes, ["x"], names[-1:]), OPS).nodes
    assert only.attributes == wanted
    assert only.outputs == (names[-1],)


def test_clamps_of_clamps_are_one() -> None:
    for first in ((-5, 90), (100, 120), (7, 7)):
        for then in ((-50, 7), (0, 127), (90, 95)):
            low, high = clamped(first, then)
            for x in range(-128, 128):
                wanted = min(max(min(max(x, first[0]), first[1]), then[0]), then[1])
                assert min(max(x, low), high) == wanted


def test_bounds_stay_behind_an_op_that_has_no_attribute_for_them() -> None:
    g = front_and_clamp()
    before = replace(g, nodes=(g.nodes[0], replace(g.nodes[1], op="narrow")))
    assert fuse_activation(before, OPS).nodes == before.nodes


@pytest.mark.parametrize(("dtype", "clamp"), [(f32, None), (i32, (0, 2**31 - 1))])
def test_a_second_activation_of_what_is_not_quantised(
    dtype: DType, clamp: tuple[int, int] | None
) -> None:
    able = op("able", attributes=CLAMP_ATTRIBUTES, traits={"fuses_activation"}, types=(dtype,))
    relu = op("relu", hooks=Hooks(clamp=lambda node: "RELU"), types=(dtype,))
    tensors = [tensor(name, dtype=dtype, quantization=None) for name in "xay"]
    nodes = [node("able", ["x"], "a", activation="RELU6", clamp=()), node("relu", ["a"], "y")]
    after = fuse_activation(graph(tensors, nodes, "x", "y"), ops(able, relu))
    found = [each.attributes.get("clamp") for each in after.nodes]
    assert found == ([(), None] if clamp is None else [clamp])
