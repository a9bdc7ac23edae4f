"""Rank: how many dimensions x has, known at build time."""

from opsmith.op import *
from runtimes.families.of_shapes import of_shapes


def dimensions(node: NodeView) -> int:
    """Number of dimensions of x; 0 for a scalar."""
    return len(node["x"].shape)


OP = of_shapes("rank", Rename("tflite.RANK"), dimensions, types=(i32,))
