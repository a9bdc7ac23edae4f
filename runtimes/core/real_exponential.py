"""exp(x) of float32: real_exponential.h in numpy."""

import math

import numpy as np

from opsmith.ir import Array
from runtimes.core.formula import in_core

STEPS = 32  # powers of two in the table, from 1 to 2
# STEPS / ln(2)
_PER_LN2_HIGH, _PER_LN2_LOW = map(float.fromhex, ("0x1.7154765p+5", "0x1.5c17fp-26"))
POWERS = np.array([math.exp2(i / STEPS) for i in range(STEPS)])
_CUBIC, _SQUARE, _LINEAR = map(
    float.fromhex, ("0x1.c6af84b912394p-20", "0x1.ebfce50fac4f3p-13", "0x1.62e42ff0c52d6p-6")
)


@in_core
def real_exponential(x: Array) -> Array:
    """exp(x), rounded to float32; NaN stays NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        within = np.clip(x.astype(np.float64), -1000.0, 1000.0)
        high, low = within * _PER_LN2_HIGH, within * _PER_LN2_LOW
        nearest = np.rint(high + low)
        rest = (high - nearest) + low
        whole = np.nan_to_num(nearest).astype(np.int64)
        power = np.ldexp(POWERS[whole % STEPS], whole // STEPS)
        polynomial = (_CUBIC * rest + _SQUARE) * (rest * rest) + (_LINEAR * rest + 1)
        return np.where(np.isnan(x), x + x, (polynomial * power).astype(np.float32))
