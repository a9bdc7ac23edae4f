"""Divisions that round down, of tensors that broadcast.

Elements are taken as they are; quantisation changes nothing.
"""

from opsmith.op import *
from runtimes.families.binary import Function, binary, nonzero_divisors, plain

INTEGER_COST = 20.0  # instructions per element
ZERO_DIVISOR = Departure("an integer divided by zero", "fails", "0", fails=True)


def division(
    name: str,
    source: Rename,
    integers: Function,
    types: tuple[DType, ...],
    floats: Function,
    float_cost: float,
) -> Op:
    """Op that divides integers of `types`, and float32 at `float_cost` instructions per element."""
    return binary(
        name,
        source,
        variants=(
            *(plain(dtype, integers, INTEGER_COST) for dtype in types),
            plain(f32, floats, float_cost),
        ),
        check=nonzero_divisors,
        departs=ZERO_DIVISOR,
    )
