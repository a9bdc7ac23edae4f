"""Requantisation by a product and an offset of 64 bits, proved by thresholds.

As `threshold_requantization.py` has it, with an offset r that keeps the product's lower half:

    (p·m + r) >> (32 + right), clamped to int8.

Its half planes in m and r are met as finely as in real numbers, so that one shift serves channels
whose scales differ by a factor of thousands, and whatever sums they reach. Only outputs that no
straight line gives are left out. On Arm this is SMLAL and SSAT with its shift.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opsmith.runtimes.core.output_steps import OUTPUTS, Ints, Steps

_NEAR = 64  # how far from the middle multipliers are tried
_MOST_RIGHT = 20  # an output times 2^(32 + right) stays below 2^60
_LIMIT = 1 << 62  # of products and offsets
_NEVER = np.iinfo(np.int64).max >> 1


@dataclass(frozen=True)
class LongProduct:
    """The constants of all channels. A channel that is constant has multiplier 0."""

    right: int
    multiplier: NDArray[np.int32]
    offset: Ints

    def table(self) -> NDArray[np.int32]:
        """[channel][3]: multiplier, and the lower and upper half of the offset."""
        halves = self.offset.astype("<i8").view("<i4").reshape(-1, 2)
        return np.concatenate([self.multiplier[:, None], halves], axis=1).astype(np.int32)


def long_product(steps: Steps) -> LongProduct | None:
    """The constants, or None where a channel has none."""
    right = _right_shift(steps)
    if right < 0:
        return None
    multiplier, offset = np.zeros(len(steps.at), np.int64), steps.constant << (32 + right)
    missing = steps.moving
    for distance in sorted(range(-_NEAR, _NEAR + 1), key=abs):
        if not missing.size:
            return LongProduct(right, multiplier.astype(np.int32), offset)
        m = np.rint(np.ldexp(steps.middle[missing], 32 + right)).astype(np.int64) + distance
        low, high = _offsets(steps, missing, m, right)
        r = low + ((high - low) >> 1)
        fits = (low <= high) & (m > 0) & (m < 1 << 31) & (np.abs(r) < _LIMIT)
        multiplier[missing[fits]], offset[missing[fits]] = m[fits], r[fits]
        missing = missing[~fits]
    return None if missing.size else LongProduct(right, multiplier.astype(np.int32), offset)


def _right_shift(steps: Steps) -> int:
    """The largest with which the multiplier of the steepest channel has 31 bits."""
    steepest = float(steps.middle[steps.moving].max(initial=0))
    return min(int(np.floor(-1.01 - np.log2(steepest))), _MOST_RIGHT) if steepest else 0


def _offsets(steps: Steps, some: Ints, m: Ints, right: int) -> tuple[Ints, Ints]:
    """The least and the largest offset that all half planes of some channels allow."""
    at, targets = steps.at[some], OUTPUTS << (32 + right)
    products = at * m[:, None]
    earlier = products - m[:, None]
    least = np.where(steps.reached[some], targets - products, -_NEVER)
    largest = np.where(steps.before[some], targets - 1 - earlier, _NEVER)
    return least.max(axis=1), largest.min(axis=1)
