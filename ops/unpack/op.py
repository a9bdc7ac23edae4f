"""Unpack: a tensor taken apart along an axis, which its parts no longer have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from toolchain.op import (
    Array,
    Attribute,
    Decompose,
    Example,
    ExampleTensor,
    GraphBuilder,
    Input,
    Kernel,
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
from toolchain.op.side_by_side import (
    Params,
    Tables,
    axis_of,
    row_elements,
    rows_before,
    slice_out,
)


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: each position of the axis."""
    x, axis = node["x"], _axis(node)
    if not node.attributes["num"] == x.shape[axis] == len(node.variadic("y")):
        raise OpError(
            f"num is {node.attributes['num']} for axis {axis} of x {x.type} "
            f"and {len(node.variadic('y'))} outputs"
        )
    return [TensorType(x.dtype, (*x.shape[:axis], *x.shape[axis + 1 :]))] * x.shape[axis]


def _axis(node: NodeView) -> int:
    return axis_of(node.attributes["axis"], len(node["x"].shape))


def check(node: NodeView) -> Iterator[str]:
    """Elements are copied as they are, so all parts must mean the same by them."""
    x = node["x"]
    wrong = any(y.quantization != x.quantization for y in node.variadic("y"))
    if x.dtype in (i8, i16, u8) and wrong:
        yield "every part must be quantised as x is"


def params(node: NodeView) -> Params:
    """How often a row is taken apart."""
    return Params(rows_before(node["x"].shape, _axis(node)), len(node.variadic("y")))


def tables(node: NodeView) -> Tables:
    """What a row is taken apart into."""
    return row_elements(node.variadic("y"), params(node).rows)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The parts in numpy."""
    return [np.array(part) for part in np.moveaxis(inputs[0], _axis(node), 0)]


def into(node: NodeView, builder: GraphBuilder) -> None:
    """A slice for each part, which is a view where its bytes lie side by side."""
    x, axis, parts = node["x"], _axis(node), node.variadic("y")
    slice_out(builder, "strided_slice", x, axis, parts, shrink_axis_mask=1 << axis)


OP = Op(
    name="unpack",
    legalize=(Rename("tflite.UNPACK", versions=range(1, 5)),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T", variadic=True),),
    attributes=(Attribute("axis", int, default=0), Attribute("num", int)),
    domains={"T": (i8, i16, i32, u8, boolean, f32)},
    infer=infer,
    check=check,
    params=params,
    tables=tables,
    evaluate=evaluate,
    decompose=Decompose(into),
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (2, 6), scale=0.5),
                "y": (ExampleTensor(i8, (6,), scale=0.5),) * 2,
            },
            {"axis": 0, "num": 2},
        ),
    ),
    kernels=(
        Kernel(
            "reference.h",
            function="opsmith::unpack::take",
            arguments=("p", "in.x", "tables.elements", "out.y"),
        ),
    ),
)
