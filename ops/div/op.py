"""Div: the element-wise quotient of two tensors that broadcast, with a fused activation.

Integers are cut towards zero. By zero TFLite does not divide them but fails; here that gives 0, and
a constant divisor of zero is refused.

Quantised elements are divided as in LiteRT on x86-64. Its shift by the bits of small quotients may
be longer than C++ defines, and then makes 1 of 0.
"""

from opsmith.op import *
from runtimes.families.binary import activated, floats, integers, nonzero_divisors
from runtimes.families.division import ZERO_DIVISOR

from .quantised import quantised


def quotient(a: Array, b: Array) -> Array:
    """Quotient of integers as in reference.h: -2^31 / -1 saturates."""
    whole = np.abs(a) // np.where(b == 0, 1, np.abs(b))
    y = np.where(b == 0, 0, whole * np.sign(a) * np.sign(b))
    return np.minimum(y, np.iinfo(np.int32).max)


OP = activated(
    "div",
    Rename("tflite.DIV", versions=range(1, 4)),
    variants=(*map(quantised, (i8, u8, i16)), integers(quotient), floats(np.divide, 10.0)),
    check=lambda node: nonzero_divisors(node) if node["b"].dtype == i32 else iter(()),
    departs=ZERO_DIVISOR,
)
