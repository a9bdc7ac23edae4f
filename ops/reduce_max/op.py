"""ReduceMax: the largest element along any axes."""

from opsmith.op import *
from runtimes.families.reduction import Folding, limit, reduction


def greater(found: Array, x: Array) -> Array:
    """Greater element; `found` where x is NaN."""
    return np.where(x > found, x, found)


FOLDING = Folding(greater, limit("min"), "GREATER_FOUND")
OP = reduction(
    "reduce_max",
    Rename("tflite.REDUCE_MAX", versions=range(1, 4)),
    tuple(map(FOLDING.variant, (i8, u8, i16, i32, i64, f32, boolean))),
    traits={"from_nothing"},
)
