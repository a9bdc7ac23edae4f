"""Slice: the neighbours from a position on, along each axis."""

from __future__ import annotations

from operator import mul

from runtimes.families.axes import per_axis, strides
from runtimes.families.movement import X, example, numbers
from runtimes.families.walk import Walk, walk_through
from toolchain.op import NodeView, OpError, Rename


def walk(node: NodeView) -> Walk:
    """From `begin` on as many neighbours as `size` says, where -1 stands for all that follow."""
    x, axes = node["x"], []
    begins, sizes = per_axis(node, "begin"), per_axis(node, "size")
    steps = strides(x.shape)
    given = zip(x.shape, begins, sizes, steps, strict=True)
    for axis, (length, begin, size, step) in enumerate(given):
        count = length - begin if size == -1 else size
        if begin < 0 or count < 0 or begin + count > length:
            raise OpError(f"axis {axis} of x {x.type} has no {size} elements from {begin} on")
        axes.append((count, step))
    return Walk(sum(map(mul, begins, steps)), axes)


OP = walk_through(
    "slice",
    Rename("tflite.SLICE", versions=range(1, 9), as_stored=True),
    walk,
    inputs=(X, numbers("begin"), numbers("size", shape_of="y")),
    example=example(x=(4, 5), begin=[1, 2], size=[2, -1], y=(2, 3)),
)
