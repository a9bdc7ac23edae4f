"""1 / sqrt(x) of an integer in fixed point, bit by bit as LiteRT has it
(GetInvSqrtQuantizedMultiplierExp in tensorflow/lite/kernels/internal/common.h).
"""

import numpy as np

from runtimes.core.fixed_point import doubling_high_mul

_ONE, _HALF_THREE = 1 << 28, 3 << 27  # in Q3.28
_HALF_ROOT_OF_2 = 1518500250  # in Q0.31


def inverse_square_root(x: int) -> tuple[int, int]:
    """(m, shift) with 1 / sqrt(x) = m * 2^(shift - 31); 1 stands for 0, too.

    Five steps of Newton and Raphson from 1, for x times a power of 4 in [1/4, 1).
    """
    if x <= 1:
        return (1 << 31) - 1, 0
    right = 11
    while x >= 1 << 29:
        x, right = x // 4, right + 1
    pairs = (31 - x.bit_length()) // 2 - 1
    right -= pairs
    scaled = (x << 2 * pairs) >> 1
    half = (scaled + 1) >> 1
    root = _ONE
    for _ in range(5):
        cube = _shifted(_product(_product(root, root), root), 6)
        root = _shifted(_product(_HALF_THREE, root) - _product(half, cube), 3)
    root = _product(root, _HALF_ROOT_OF_2)
    return (root << -right, 0) if right < 0 else (root, -right)


def _product(a: int, b: int) -> int:
    return int(doubling_high_mul(np.array(a, np.int64), b))


def _shifted(x: int, bits: int) -> int:
    """x shifted left by `bits`, saturated to 32 bits."""
    return min(max(x << bits, -(1 << 31)), (1 << 31) - 1)
