"""Means of quantised elements as ONNX defines them, without intermediate rounding: quotients of
integers to the nearest, halves to even, before the zero point is added.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
FAR = 512  # more steps than int8 has, for any zero point


def even_quotients(numerators: Ints, denominators: Ints | int) -> Ints:
    """Integers nearest to the quotients, halves to even; twice the operands fit 64 bits."""
    twice = 2 * denominators
    whole, rest = np.divmod(2 * numerators + denominators, twice)
    return np.asarray(whole - ((rest == 0) & (whole % 2 == 1)))


def step_of(x: float, y: float, elements: int) -> Fraction:
    """Exact steps of y per step of x in a mean of N elements with float32 scales; at most FAR."""
    scales = [Fraction(float(np.float32(each))) for each in (x, y)]
    return min(scales[0] / (scales[1] * elements), Fraction(FAR))


def even_means(sums: Ints, step: Fraction, reach: int) -> Ints:
    """Elements of y without its zero point, from sums of magnitude up to `reach`, saturated."""
    if 2 * step * reach < 1:
        return np.zeros_like(sums)
    most = most_sum(step, reach)
    return even_quotients(np.clip(sums, -most, most) * step.numerator, step.denominator)


def most_sum(step: Fraction, reach: int) -> int:
    """Bound, at most `reach`, beyond which all sums saturate to one result."""
    return min(reach, FAR * step.denominator // step.numerator + 1)
