"""SplitV: a tensor taken apart along an axis, into parts of given sizes."""

from __future__ import annotations

from runtimes.families.axes import given_axis, resized
from runtimes.families.movement import X, example, numbers
from runtimes.families.side_by_side import taken_apart
from toolchain.op import Attribute, NodeView, OpError, Rename, f32, i8, i16, i32, i64, u8


def shapes(node: NodeView) -> list[tuple[int, ...]]:
    """The parts of x, of which one may have the size -1: what the others leave."""
    x, at, count = node["x"], given_axis(node), len(node.variadic("y"))
    sizes = node["sizes"].data.reshape(-1).tolist()
    if len(sizes) != count or node.attributes["num_splits"] != count:
        stated = node.attributes["num_splits"]
        raise OpError(f"num_splits is {stated} and sizes {sizes} for {count} outputs")
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = x.shape[at] - sum(sizes) - 1
    if min(sizes) < 0 or sum(sizes) != x.shape[at]:
        raise OpError(f"axis {at} of x {x.type} does not divide into {sizes}")
    return [resized(x.shape, at, size) for size in sizes]


OP = taken_apart(
    "split_v",
    Rename("tflite.SPLIT_V", versions=range(1, 4)),
    given_axis,
    shapes,
    inputs=(X, numbers("sizes"), numbers("axis")),
    types=(i8, i16, i32, i64, u8, f32),
    example=example({"num_splits": 2}, x=(2, 6), sizes=[3, -1], axis=1, y=[(2, 3)] * 2),
    attributes=(Attribute("num_splits", int),),
)
