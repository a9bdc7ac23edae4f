"""1 / sqrt(x) in fixed point: inverse_root.h in numpy."""

import numpy as np
from numpy.typing import NDArray

from runtimes.core.fixed_point import doubling_high_mul, rounding_divide_by_pot

Ints = NDArray[np.int64]
_LOW, _HIGH = -(1 << 31), (1 << 31) - 1
_SQRT_HALF = 1518500250  # Q0.31


def inverse_root(x: Ints) -> tuple[Ints, Ints]:
    """(multiplier, shift) of 1 / sqrt(x) = multiplier * 2^(shift - 31) for x >= 0; of 0 as of 1."""
    right, small = np.full(x.shape, 11), np.maximum(x, 2)
    while np.any(large := small >= 1 << 29):
        small, right = np.where(large, small // 4, small), right + large
    zeros = 32 - np.frexp(small.astype(np.float64))[1].astype(np.int64)
    pairs = (zeros - 1) // 2 - 1
    right = right - pairs
    half = rounding_divide_by_pot(small << 2 * pairs >> 1, 1)
    y = np.full(x.shape, 1 << 28, np.int64)
    for _ in range(5):
        cube = np.clip(doubling_high_mul(doubling_high_mul(y, y), y) << 6, _LOW, _HIGH)
        y = doubling_high_mul(y, 3 << 27) - doubling_high_mul(half, cube)
        y = np.clip(y << 3, _LOW, _HIGH)
    y = doubling_high_mul(y, _SQRT_HALF) << np.maximum(-right, 0)
    one = x <= 1
    return np.where(one, _HIGH, y), np.where(one, 0, np.minimum(-right, 0))
