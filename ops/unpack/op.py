"""Unpack: a tensor taken apart along an axis, which its parts no longer have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from runtimes.families.movement import axis_of, moved, moved_problems, slice_out, taken_apart
from toolchain.op import (
    Array,
    Attribute,
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
    boolean,
    f32,
    i8,
    i16,
    i32,
    u8,
)


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: each position of the axis."""
    x, at = node["x"], axis(node)
    if not node.attributes["num"] == x.shape[at] == len(node.variadic("y")):
        raise OpError(
            f"num is {node.attributes['num']} for axis {at} of x {x.type} "
            f"and {len(node.variadic('y'))} outputs"
        )
    return [TensorType(x.dtype, (*x.shape[:at], *x.shape[at + 1 :]))] * x.shape[at]


def axis(node: NodeView) -> int:
    """The axis that goes."""
    return axis_of(node.attributes["axis"], len(node["x"].shape))


def check(node: NodeView) -> Iterator[str]:
    """Elements are copied as they are."""
    return moved_problems(node.variadic("y"), node["x"], "every part must be quantised as x is")


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The parts in numpy."""
    return [np.array(part) for part in np.moveaxis(inputs[0], axis(node), 0)]


def into(node: NodeView, builder: GraphBuilder) -> None:
    """A slice for each part, which is a view where its bytes lie side by side."""
    x, at, parts = node["x"], axis(node), node.variadic("y")
    slice_out(builder, "strided_slice", x, at, parts, shrink_axis_mask=1 << at)


OP = Op(
    name="unpack",
    legalize=(Rename("tflite.UNPACK", versions=range(1, 5)),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T", variadic=True),),
    attributes=(Attribute("axis", int, default=0), Attribute("num", int)),
    infer=infer,
    check=check,
    evaluate=evaluate,
    decompose=Decompose(into),
    variants=moved(taken_apart(axis), i8, i16, i32, u8, boolean, f32),
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (2, 6), scale=0.5),
                "y": (ExampleTensor(i8, (6,), scale=0.5),) * 2,
            },
            {"axis": 0, "num": 2},
        ),
    ),
)
