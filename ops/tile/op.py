"""Tile: a tensor repeated along each of its axes."""

from opsmith.op import *
from runtimes.families.axes import per_axis, strides
from runtimes.families.walk import Walk, walked

from .long import kernels


def walk(node: NodeView) -> Walk:
    """Walk through each axis again and again, from its start."""
    sizes, counts = node["x"].shape, per_axis(node, "multiples")
    if any(count < 0 for count in counts):
        raise OpError(f"multiples are {counts}, not at least 0")
    axes = zip(counts, sizes, strides(sizes), strict=True)
    return Walk(0, [[(count, 0), (size, step)] for count, size, step in axes])


SOURCE = Rename("tflite.TILE", versions=range(1, 4))
EXAMPLE = Example.of(x=(2, 3), multiples=[2, 3], y=(4, 9))
OP = walked("tile", SOURCE, walk, kernels(walk), EXAMPLE)
