"""Pack: tensors of one shape put together along a new axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from runtimes.families.movement import axis_of, moved, moved_problems, put_together
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
    f32,
    i8,
    i16,
    i32,
    i64,
    u8,
    u32,
)


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
    """Elements are copied as they are."""
    sentence = "every tensor must be quantised as y is"
    return moved_problems(node.variadic("x"), node["y"], sentence)


def axis(node: NodeView) -> int:
    """The new axis."""
    return axis_of(node.attributes["axis"], len(node["y"].shape))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The tensors put together in numpy."""
    return [np.stack(inputs, axis(node))]


def into(node: NodeView, builder: GraphBuilder) -> None:
    """The tensors with the new axis, one after the other: where there is one row, only views."""
    y, at = node["y"], axis(node)
    sizes = (*y.shape[:at], 1, *y.shape[at + 1 :])
    parts = []
    for i, x in enumerate(node.variadic("x")):
        parts.append(builder.tensor(f"x_{i}", x.dtype, sizes, x.quantization))
        builder.node("reshape", [x], [parts[-1]], new_shape=sizes)
    builder.node("concatenation", parts, [y], axis=at)


OP = Op(
    name="pack",
    legalize=(Rename("tflite.PACK", versions=range(1, 4)),),
    inputs=(Input("x", "T", variadic=True),),
    outputs=(Output("y", "T"),),
    attributes=(Attribute("axis", int, default=0), Attribute("values_count", int)),
    infer=infer,
    check=check,
    evaluate=evaluate,
    decompose=Decompose(into),
    variants=moved(put_together(axis), i8, i16, i32, i64, u8, u32, f32),
    examples=(
        Example(
            {
                "x": (ExampleTensor(i8, (3, 2), scale=0.5),) * 2,
                "y": ExampleTensor(i8, (3, 2, 2), scale=0.5),
            },
            {"axis": 1, "values_count": 2},
        ),
    ),
)
