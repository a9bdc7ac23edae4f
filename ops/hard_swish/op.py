"""HardSwish: x * min(max(x + 3, 0), 6) / 6.

LiteRT computes bytes in fixed point of 16 bits: x times a factor in [0, 1], which is where x, at a
scale of 3 / 2^15, lies between -3 and 3.
"""

from opsmith.op import *
from runtimes.core.notebook import OTHER_FORMULA
from runtimes.families.unary import by_formula, unary

from .quantised import I8, U8


def of_floats(x: Array) -> Array:
    """HardSwish of float32, in numpy."""
    raised = x + 3
    return x * np.where(raised < 0, 0, np.where(raised > 6, 6, raised)) / 6


OP = unary(
    "hard_swish",
    Rename("tflite.HARD_SWISH"),
    variants=(I8, U8, by_formula(of_floats, cost=12.0, numerics=OTHER_FORMULA)),
)
