"""Neg: elements with the other sign.

LiteRT negates integers as they are, whatever their quantisation; the least one stays.
"""

from opsmith.op import *
from runtimes.families.unary import by_formula, by_reference, unary

OP = unary(
    "neg",
    Rename("tflite.NEG", versions=range(1, 3)),
    variants=(
        *(
            by_reference(dtype, lambda node, x: np.negative(x), 5.0, check=None)
            for dtype in (i8, i16, i32, i64)
        ),
        by_formula(np.negative, 5.0),
    ),
)
