"""Split: a tensor taken apart along an axis, into equal parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from runtimes.families.movement import (
    given_axis,
    moved,
    moved_problems,
    slice_out,
    taken_apart,
)
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
)


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as many equal parts of x as there are outputs."""
    x, axis, count = node["x"], given_axis(node), len(node.variadic("y"))
    if node.attributes["num_splits"] != count:
        raise OpError(f"num_splits is {node.attributes['num_splits']} for {count} outputs")
    if x.shape[axis] % count:
        raise OpError(f"axis {axis} of x {x.type} does not divide into {count} parts")
    sizes = (*x.shape[:axis], x.shape[axis] // count, *x.shape[axis + 1 :])
    return [TensorType(x.dtype, sizes)] * count


def check(node: NodeView) -> Iterator[str]:
    """Elements are copied as they are."""
    return moved_problems(node.variadic("y"), node["x"], "every part must be quantised as x is")


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The parts in numpy."""
    parts = np.split(inputs[1], len(node.variadic("y")), given_axis(node))
    return [np.ascontiguousarray(part) for part in parts]


def into(node: NodeView, builder: GraphBuilder) -> None:
    """A slice for each part, which is a view where its bytes lie side by side."""
    slice_out(builder, "strided_slice", node["x"], given_axis(node), node.variadic("y"))


OP = Op(
    name="split",
    legalize=(Rename("tflite.SPLIT", versions=range(1, 5)),),
    inputs=(Input("axis", i32, constant=True), Input("x", "T")),
    outputs=(Output("y", "T", variadic=True),),
    attributes=(Attribute("num_splits", int),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    decompose=Decompose(into),
    variants=moved(taken_apart(given_axis), i8, i16, i32, i64, u8, f32),
    examples=(
        Example(
            {
                "axis": ExampleTensor(i32, (), data=np.array(1)),
                "x": ExampleTensor(i8, (2, 6), scale=0.5),
                "y": (ExampleTensor(i8, (2, 3), scale=0.5),) * 2,
            },
            {"num_splits": 2},
        ),
    ),
)
