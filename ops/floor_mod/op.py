"""FloorMod: the remainder of a division that rounds down, of tensors that broadcast.

That of an integer by zero is 0, where TFLite fails; a constant divisor of zero is refused.
"""

from opsmith.op import *
from runtimes.families.division import division


def remainder(a: Array, b: Array) -> Array:
    """Remainder of float32; a zero has the sign of a."""
    y = np.fmod(a, b)
    return np.where((y != 0) & ((y < 0) != (b < 0)), y + b, y)


OP = division(
    "floor_mod",
    Rename("tflite.FLOOR_MOD", versions=range(1, 3)),
    np.mod,
    (i8, i16, i32, i64),
    remainder,
    float_cost=100.0,
)
