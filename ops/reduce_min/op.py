"""ReduceMin: the least element along any axes."""

from opsmith.op import *
from runtimes.families.reduction import Folding, limit, reduction


def lesser(found: Array, x: Array) -> Array:
    """Lesser element; `found` where x is NaN."""
    return np.where(x < found, x, found)


FOLDING = Folding(lesser, limit("max"), "LESSER_FOUND")
OP = reduction(
    "reduce_min",
    Rename("tflite.REDUCE_MIN", versions=range(1, 4)),
    tuple(map(FOLDING.variant, (i8, u8, i16, i32, i64, f32, boolean))),
    traits={"from_nothing"},
)
