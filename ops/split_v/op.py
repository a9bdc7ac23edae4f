"""SplitV: a tensor taken apart along an axis, into parts of given sizes."""

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
    """y: the parts of x, of which one may have the size -1: what the others leave."""
    x, axis, count = node["x"], given_axis(node), len(node.variadic("y"))
    sizes = node["sizes"].data.reshape(-1).tolist()
    if len(sizes) != count or node.attributes["num_splits"] != count:
        told = node.attributes["num_splits"]
        raise OpError(f"num_splits is {told} and sizes {sizes} for {count} outputs")
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = x.shape[axis] - sum(sizes) - 1
    if min(sizes) < 1 or sum(sizes) != x.shape[axis]:
        raise OpError(f"axis {axis} of x {x.type} does not divide into {sizes}")
    return [TensorType(x.dtype, (*x.shape[:axis], size, *x.shape[axis + 1 :])) for size in sizes]


def check(node: NodeView) -> Iterator[str]:
    """Elements are copied as they are."""
    return moved_problems(node.variadic("y"), node["x"], "every part must be quantised as x is")


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The parts in numpy."""
    axis = given_axis(node)
    ends = np.cumsum([y.shape[axis] for y in node.variadic("y")])
    return [np.ascontiguousarray(part) for part in np.split(inputs[0], ends[:-1], axis)]


def into(node: NodeView, builder: GraphBuilder) -> None:
    """A slice for each part, which is a view where its bytes lie side by side."""
    slice_out(builder, "strided_slice", node["x"], given_axis(node), node.variadic("y"))


OP = Op(
    name="split_v",
    legalize=(Rename("tflite.SPLIT_V", versions=range(1, 3)),),
    inputs=(
        Input("x", "T"),
        Input("sizes", i32, constant=True),
        Input("axis", i32, constant=True),
    ),
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
                "x": ExampleTensor(i8, (2, 6), scale=0.5),
                "sizes": ExampleTensor(i32, (2,), data=np.array([3, -1])),
                "axis": ExampleTensor(i32, (), data=np.array(1)),
                "y": (ExampleTensor(i8, (2, 3), scale=0.5),) * 2,
            },
            {"num_splits": 2},
        ),
    ),
)
