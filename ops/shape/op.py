"""Shape: the sizes of x, known at build time."""

from opsmith.op import *
from opsmith.runtimes.families.of_shapes import of_shapes


def sizes(node: NodeView) -> tuple[int, ...]:
    """One number for each dimension of x."""
    return node["x"].shape


OP = of_shapes(
    "shape",
    Rename("tflite.SHAPE", ignore=("out_type",)),  # y says its type
    sizes,
    types=(i32, i64),
    rank=1,
)
