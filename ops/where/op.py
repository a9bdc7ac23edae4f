"""Where: the positions of elements that are not zero, one in each row.

The number of such elements must be known at build time, since tensors have fixed shapes: the
condition is a constant, or computed from constants and shapes.
"""

from opsmith.op import *
from runtimes.families.of_shapes import known


def positions(node: NodeView) -> Array:
    """Positions, a row for each element that is not zero, with an index for each axis."""
    if not node["condition"].shape:
        raise OpError("condition is one number, which has no positions")
    return np.argwhere(node["condition"].data != 0)


OP = known(
    "where",
    Rename("tflite.WHERE"),
    ("condition",),
    positions,
    types=(boolean, i8, u8, i32, i64, u32, f32),
    y=i64,
    example=Example.of(condition=[[0, 1, 2], [0, 0, 3]], y=(3, 2)),
)
