"""Sign: 1, -1 or 0; NaN stays."""

from opsmith.op import *
from runtimes.families.unary import by_formula, unary


def sign(x: Array) -> Array:
    """Signs of elements, in numpy."""
    return np.where(x > 0, 1, np.where(x < 0, -1, np.where(x == 0, 0, x)))


OP = unary(
    "sign",
    Rename("tflite.SIGN", versions=range(1, 3)),
    variants=tuple(by_formula(sign, 7.0, dtype=dtype) for dtype in (f32, f64, i32)),
)
