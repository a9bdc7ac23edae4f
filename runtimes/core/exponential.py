"""exp(x) for x <= 0 and 1 / (1 + x) in fixed point, bit by bit as gemmlowp's fixedpoint.h has them.

`runtimes/core/reciprocal.h` is the second of them in C++.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from toolchain.op.arithmetic import doubling_high_mul, rounding_divide_by_pot

ONE = (1 << 31) - 1  # in Q0.31, where 1 itself does not fit
_EXP_OF_MINUS_EIGHTH = 1895147668  # Q0.31
_ONE_THIRD = 715827883
# exponent -> exp(-2^exponent) in Q0.31
_EXP_OF_POWERS = {
    -2: 1672461947,
    -1: 1302514674,
    0: 790015084,
    1: 290630308,
    2: 39332535,
    3: 720401,
    4: 242,
}


def exponential(x: NDArray[np.int64], integer_bits: int) -> NDArray[np.int64]:
    """exp(x) in Q0.31 for x <= 0 with 1 to 5 integer bits and 31 - integer_bits fractional ones.

    x is a multiple of 1/4 plus a rest in [-1/4, 0): a polynomial for the rest, then one factor for
    every bit of the multiple.
    """
    fractional_bits = 31 - integer_bits
    quarter = 1 << (fractional_bits - 2)
    rest = (x & (quarter - 1)) - quarter
    multiple = rest - x
    y = _exponential_of_rest(rest << integer_bits)
    for exponent, factor in _EXP_OF_POWERS.items():
        if exponent < integer_bits:
            has_bit = (multiple >> (fractional_bits + exponent)) & 1
            y = np.where(has_bit == 1, doubling_high_mul(y, factor), y)
    return np.where(x == 0, np.int64(ONE), y)


def _exponential_of_rest(rest: NDArray[np.int64]) -> NDArray[np.int64]:
    """exp(rest) in Q0.31 for a rest in [-1/4, 0): Taylor's series around -1/8, four terms."""
    x = rest + (1 << 28)
    x2 = doubling_high_mul(x, x)
    x3, x4 = doubling_high_mul(x2, x), doubling_high_mul(x2, x2)
    cubic = doubling_high_mul(rounding_divide_by_pot(x4, 2) + x3, _ONE_THIRD)
    tail = rounding_divide_by_pot(cubic + x2, 1)
    return _EXP_OF_MINUS_EIGHTH + doubling_high_mul(x + tail, _EXP_OF_MINUS_EIGHTH)


def reciprocal_of_one_plus(x: NDArray[np.int64]) -> NDArray[np.int64]:
    """1 / (1 + x) in Q0.31 for x in [0, 1): three steps of Newton and Raphson from 48/17 - 32/17 d.

    d = (1 + x) / 2; the iterates are in Q2.29.
    """
    half = (x + ONE + 1) // 2
    y = 1515870810 + doubling_high_mul(half, -1010580540)
    for _ in range(3):
        error = (1 << 29) - doubling_high_mul(half, y)
        y = y + _saturating_shift_left(doubling_high_mul(y, error), 2)
    return _saturating_shift_left(y, 1)


def _saturating_shift_left(x: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    return np.asarray(np.clip(x << bits, -(1 << 31), (1 << 31) - 1), np.int64)
