"""a * b + c rounded once: fused_multiply_add.h in numpy."""

import numpy as np

from opsmith.ir import Array


def fused_multiply_add(a: Array | float, b: Array | float, c: Array | float) -> Array:
    """a * b + c of doubles, rounded once, where nothing overflows or becomes subnormal."""
    product, rest = _exact_product(np.asarray(a), np.asarray(b))
    low, low_rest = _exact_sum(np.asarray(c), rest)
    high, high_rest = _exact_sum(product, low)
    return np.asarray(high + _odd_sum(low_rest, high_rest))


def _exact_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Sum of doubles, and its rounding error."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


def _exact_product(a: Array, b: Array) -> tuple[Array, Array]:
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(x: Array) -> tuple[Array, Array]:
    """Upper 26 bits of the significand, and the rest."""
    moved = x * 134217729.0  # 2^27 + 1
    high = moved - (moved - x)
    return high, x - high


def _odd_sum(a: Array, b: Array) -> Array:
    """Sum of doubles, rounded to odd: an inexact sum becomes the neighbour with an odd last bit."""
    total, rest = _exact_sum(a, b)
    bits = np.ascontiguousarray(total).view(np.int64)
    outward = np.where((rest > 0) == (total > 0), 1, -1)
    odd = np.where((rest == 0) | (bits & 1 != 0), bits, bits + outward)
    found: Array = odd.view(np.float64).reshape(total.shape)
    return found
