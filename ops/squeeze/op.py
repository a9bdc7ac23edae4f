"""Squeeze: the same elements without axes of size 1."""

from __future__ import annotations

from collections.abc import Sequence

from runtimes.families.movement import COPIED, EVERY_TYPE, moved
from toolchain.op import (
    Array,
    Attribute,
    Decompose,
    Example,
    ExampleTensor,
    GraphBuilder,
    Input,
    ListOf,
    NodeView,
    Op,
    OpError,
    Output,
    Rename,
    TensorType,
    i8,
)


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: without these axes, or where none is named without any of size 1."""
    x = node["x"]
    rank = len(x.shape)
    named = node.attributes["squeeze_dims"]
    if any(not -rank <= axis < rank or x.shape[axis] != 1 for axis in named):
        raise OpError(f"x {x.type} has no axes {list(named)} of size 1")
    gone = {axis % rank for axis in named} or {i for i, size in enumerate(x.shape) if size == 1}
    return [TensorType(x.dtype, tuple(n for i, n in enumerate(x.shape) if i not in gone))]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The same elements in y's shape."""
    return [inputs[0].reshape(node["y"].shape)]


def into(node: NodeView, builder: GraphBuilder) -> None:
    """The same as a reshape, of which the compiler knows most."""
    sizes = node["y"].shape or (0,)  # how reshape is told of a scalar
    builder.node("reshape", [node["x"]], [node["y"]], new_shape=sizes)


OP = Op(
    name="squeeze",
    legalize=(Rename("tflite.SQUEEZE", versions=range(1, 3)),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    attributes=(Attribute("squeeze_dims", ListOf(int), default=()),),
    variants=moved(COPIED, *EVERY_TYPE),
    traits={"view"},
    infer=infer,
    evaluate=evaluate,
    decompose=Decompose(into),
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (1, 3, 1, 2), scale=0.5),
                "y": ExampleTensor(i8, (3, 2), scale=0.5),
            }
        ),
    ),
)
