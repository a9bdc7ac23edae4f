"""Tile: a tensor repeated along each of its axes."""

from __future__ import annotations

from runtimes.families.axes import per_axis, strides
from runtimes.families.movement import X, example, numbers
from runtimes.families.walk import MAX_AXES, Walk, walk_through
from toolchain.op import NodeView, OpError, Rename


def walk(node: NodeView) -> Walk:
    """Each axis again and again, from its start."""
    sizes, counts = node["x"].shape, per_axis(node, "multiples")
    if any(count < 0 for count in counts):
        raise OpError(f"multiples are {counts}, not at least 0")
    axes = zip(counts, sizes, strides(sizes), strict=True)
    return Walk(0, [[(count, 0), (size, step)] for count, size, step in axes])


OP = walk_through(
    "tile",
    Rename("tflite.TILE", versions=range(1, 4)),
    walk,
    inputs=(X, numbers("multiples")),
    most=2 * MAX_AXES,
    example=example(x=(2, 3), multiples=[2, 3], y=(4, 9)),
)
