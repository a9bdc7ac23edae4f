"""ExpandDims: the same elements with one more axis of size 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runtimes.families.movement import COPIED, EVERY_TYPE, moved
from toolchain.op import (
    Array,
    Decompose,
    Example,
    ExampleTensor,
    GraphBuilder,
    Input,
    NodeView,
    Op,
    OpError,
    Output,
    Rename,
    TensorType,
    i8,
    i32,
)


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: with an axis of size 1 before this one, or after the last."""
    x, axis = node["x"], node["axis"]
    if axis.elements != 1:
        raise OpError(f"axis {axis.type} must be one number")
    given, rank = int(axis.data.reshape(-1)[0]), len(x.shape)
    if not -rank - 1 <= given <= rank:
        raise OpError(f"axis {given} is none that x {x.type} could get")
    place = given % (rank + 1)
    return [TensorType(x.dtype, (*x.shape[:place], 1, *x.shape[place:]))]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The same elements in y's shape."""
    return [inputs[0].reshape(node["y"].shape)]


def into(node: NodeView, builder: GraphBuilder) -> None:
    """The same as a reshape, of which the compiler knows most."""
    sizes = node["y"].shape or (0,)  # how reshape is told of a scalar
    builder.node("reshape", [node["x"]], [node["y"]], new_shape=sizes)


OP = Op(
    name="expand_dims",
    legalize=(Rename("tflite.EXPAND_DIMS", versions=range(1, 2)),),
    inputs=(Input("x", "T"), Input("axis", i32, constant=True)),
    outputs=(Output("y", "T"),),
    variants=moved(COPIED, *EVERY_TYPE),
    traits={"view"},
    infer=infer,
    evaluate=evaluate,
    decompose=Decompose(into),
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (3, 2), scale=0.5),
                "axis": ExampleTensor(i32, (), data=np.array(1)),
                "y": ExampleTensor(i8, (3, 1, 2), scale=0.5),
            }
        ),
    ),
)
