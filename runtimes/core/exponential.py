"""exp(x) for x <= 0, 1 / (1 + x) and log(x) in fixed point, bit by bit as gemmlowp and LiteRT do.

`runtimes/core/reciprocal.h` and `fixed_logarithm.h` hold reciprocal and logarithm in C++.
"""

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array
from runtimes.core.fixed_point import doubling_high_mul, quantize_multiplier, rounding_divide_by_pot

DIFFERENCE_BITS = 5  # integer bits of a scaled difference, Q5.26
ONE = (1 << 31) - 1  # in Q0.31, where 1 itself does not fit
_EXP_OF_MINUS_EIGHTH = 1895147668  # Q0.31
_ONE_THIRD = 715827883
# Of logarithms, in Q0.31: sqrt(1/2), its root, log(2), and coefficients.
_SQRT_HALF, _SQRT_SQRT_HALF, _LOG_2 = 1518500250, 1805811301, 1488522236
_ALPHA_N, _ALPHA_D, _ALPHA_I, _ALPHA_F = 117049297, 127690142, 1057819769, 638450708
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


def exponentials_of_differences(scale: float) -> NDArray[np.int32]:
    """exp(-difference) in Q0.31 for every difference of two bytes times `scale`, a value of Q5.26;
    0 beyond the range of Q5.26.
    """
    found = np.array([ONE, *[0] * 255], np.int32)
    if scale < 1 << 30:
        multiplier, shift = quantize_multiplier(scale)
        differences = np.arange(min(farthest_difference(shift) + 1, len(found)), dtype=np.int64)
        scaled = doubling_high_mul(-differences << shift, multiplier)
        found[: len(differences)] = exponential(scaled, DIFFERENCE_BITS)
    return found


def farthest_difference(shift: int) -> int:
    """Largest difference of two bytes that, times a multiplier with this shift, fits Q5.26."""
    return ((1 << DIFFERENCE_BITS) - 1 << 31 - DIFFERENCE_BITS) >> shift


def logarithm(x: NDArray[np.int64]) -> NDArray[np.int64]:
    """log(x) in Q5.26 for x >= 1 in Q12.19: a power of two, and a quotient of polynomials in a rest
    r.

    r comes from x or x * sqrt(1/2), whichever is nearer to sqrt(sqrt(1/2)) after scaling.
    """
    zeros = _leading_zeros(x)
    normal = doubling_high_mul(_saturating_shift_left(x, zeros - 1), _SQRT_HALF)
    power = (12 - zeros << 25) + (1 << 23)  # Q6.25
    zeros_of_other = _leading_zeros(doubling_high_mul(x, _SQRT_HALF)) - 1
    other = _saturating_shift_left(x, zeros_of_other)
    power = np.maximum(power, (12 - zeros_of_other << 25) - (1 << 23))
    r = np.minimum(_saturating_shift_left(normal, 1), other)
    total = r + _SQRT_SQRT_HALF
    p, q = (total + 1) // 2, 2 * (r - _SQRT_SQRT_HALF)
    square = doubling_high_mul(q, q)
    cube = doubling_high_mul(doubling_high_mul(q, square), _ALPHA_N)
    numerator = doubling_high_mul(q, r) + cube
    factor = _ALPHA_I + q + doubling_high_mul(square, _ALPHA_D)
    denominator = doubling_high_mul(p, factor) + doubling_high_mul(q, _ALPHA_F)
    quotient = doubling_high_mul(
        rounding_divide_by_pot(numerator, 6), reciprocal_of_one_plus(denominator)
    )
    return _saturating_shift_left(doubling_high_mul(power, _LOG_2) + quotient, 1)


def _leading_zeros(x: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of leading zeros of x in 32 bits."""
    return 32 - np.frexp(x.astype(np.float64))[1].astype(np.int64)


def _exponential_of_rest(rest: NDArray[np.int64]) -> NDArray[np.int64]:
    """exp(rest) in Q0.31 for a rest in [-1/4, 0): Taylor's series around -1/8, four terms."""
    x = rest + (1 << 28)
    x2 = doubling_high_mul(x, x)
    x3, x4 = doubling_high_mul(x2, x), doubling_high_mul(x2, x2)
    cubic = doubling_high_mul(rounding_divide_by_pot(x4, 2) + x3, _ONE_THIRD)
    tail = rounding_divide_by_pot(cubic + x2, 1)
    return _EXP_OF_MINUS_EIGHTH + doubling_high_mul(x + tail, _EXP_OF_MINUS_EIGHTH)


def reciprocal_of_one_plus(x: NDArray[np.int64]) -> NDArray[np.int64]:
    """1 / (1 + x) in Q0.31 for x in [0, 1)."""
    return _saturating_shift_left(_twice_reciprocal(x), 1)


def one_minus_over_one_plus(x: NDArray[np.int64]) -> NDArray[np.int64]:
    """(1 - x) / (1 + x) in Q0.31 for x in [0, 1)."""
    return _saturating_shift_left(_twice_reciprocal(x) - (1 << 29), 2)


def _twice_reciprocal(x: NDArray[np.int64]) -> NDArray[np.int64]:
    """2 / (1 + x) in Q2.29 for x in [0, 1), by three Newton-Raphson steps from 48/17 - 32/17 d with
    d = (1 + x) / 2.
    """
    half = (x + ONE + 1) // 2
    y = 1515870810 + doubling_high_mul(half, -1010580540)
    for _ in range(3):
        error = (1 << 29) - doubling_high_mul(half, y)
        y = y + _saturating_shift_left(doubling_high_mul(y, error), 2)
    return y


def _saturating_shift_left(x: NDArray[np.int64], bits: Array | int) -> NDArray[np.int64]:
    return np.asarray(np.clip(x << bits, -(1 << 31), (1 << 31) - 1), np.int64)
