"""FloorDiv: the quotient of two elements, of tensors that broadcast, rounded down.

An integer divided by zero is 0, where TFLite fails; a constant divisor of zero is refused.
"""

from opsmith.op import *
from runtimes.families.division import division


def quotient(a: Array, b: Array) -> Array:
    """Quotient of float32 rounded down, divided in double precision."""
    return np.asarray(np.floor(a.astype(np.float64) / b))


OP = division(
    "floor_div",
    Rename("tflite.FLOOR_DIV", versions=range(1, 4)),
    np.floor_divide,
    (i8, i16, i32),
    quotient,
    float_cost=300.0,
)
