"""Pack: tensors of one shape put together along a new axis."""

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
    f32,
    i8,
    i16,
    i32,
    i64,
    u8,
)
from toolchain.op.side_by_side import Params, Tables, axis_of, row_elements, rows_before


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: with an axis as long as there are tensors."""
    first, *others = node.variadic("x")
    count, told = len(others) + 1, node.attributes["values_count"]
    for other in others:
        if other.shape != first.shape:
            raise OpError(f"shapes {first.shape} and {other.shape} differ")
    if told != count:
        raise OpError(f"values_count is {told} for {count} tensors")
    axis = axis_of(node.attributes["axis"], len(first.shape) + 1)
    return [TensorType(first.dtype, (*first.shape[:axis], count, *first.shape[axis:]))]


def check(node: NodeView) -> Iterator[str]:
    """Elements are copied as they are, so all tensors must mean the same by them."""
    y = node["y"]
    wrong = any(x.quantization != y.quantization for x in node.variadic("x"))
    if y.dtype in (i8, i16, u8) and wrong:
        yield "every tensor must be quantised as y is"


def params(node: NodeView) -> Params:
    """How often a row is put together."""
    return Params(rows_before(node["y"].shape, _axis(node)), len(node.variadic("x")))


def _axis(node: NodeView) -> int:
    return axis_of(node.attributes["axis"], len(node["y"].shape))


def tables(node: NodeView) -> Tables:
    """What a row is put together of."""
    return row_elements(node.variadic("x"), params(node).rows)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The tensors put together in numpy."""
    return [np.stack(inputs, _axis(node))]


def into(node: NodeView, builder: GraphBuilder) -> None:
    """The tensors with the new axis, one after the other: where there is one row, only views."""
    y, axis = node["y"], _axis(node)
    sizes = (*y.shape[:axis], 1, *y.shape[axis + 1 :])
    parts = []
    for i, x in enumerate(node.variadic("x")):
        parts.append(builder.tensor(f"x_{i}", x.dtype, sizes, x.quantization))
        builder.node("reshape", [x], [parts[-1]], new_shape=sizes)
    builder.node("concatenation", parts, [y], axis=axis)


OP = Op(
    name="pack",
    legalize=(Rename("tflite.PACK", versions=range(1, 4)),),
    inputs=(Input("x", "T", variadic=True),),
    outputs=(Output("y", "T"),),
    attributes=(Attribute("axis", int, default=0), Attribute("values_count", int)),
    domains={"T": (i8, i16, i32, i64, u8, f32)},
    infer=infer,
    check=check,
    params=params,
    tables=tables,
    evaluate=evaluate,
    decompose=Decompose(into),
    examples=(
        Example(
            {
                "x": (ExampleTensor(i8, (3, 2), scale=0.5),) * 2,
                "y": ExampleTensor(i8, (3, 2, 2), scale=0.5),
            },
            {"axis": 1, "values_count": 2},
        ),
    ),
    kernels=(
        Kernel(
            "reference.h",
            function="opsmith::pack::put",
            arguments=("p", "in.x", "tables.elements", "out.y"),
        ),
    ),
)
