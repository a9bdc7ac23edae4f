"""Shape: the sizes of x, known at build time."""

from opsmith.op import *
from runtimes.families.of_shapes import of_shapes


def sizes(node: NodeView) -> tuple[int, ...]:
    """Sizes of x, one number for each dimension."""
    return node["x"].shape


OP = of_shapes(
    "shape",
    Rename("tflite.SHAPE", ignore=("out_type",)),  # y says its type
    sizes,
    types=(i32, i64),
)
