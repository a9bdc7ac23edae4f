"""Requantisation by a product and an offset of 64 bits, proved by thresholds.

Like `threshold_requantization.py`, with an offset r that is added to the whole product:

    (p·2^left·m + r) >> (32 + right), clamped to int8.

`left` is 0 unless the multiplier of the steepest channel is 1/2 or more.

m and r meet the half planes nearly as finely as real numbers would, so that one shift serves
channels whose scales differ by a factor of thousands, whatever sums they reach. Only outputs that
no straight line gives have no constants. On Arm the computation is SMLAL and SSAT with its shift.
Where one right shift does not serve all channels, each has its `own`, in the lowest byte of r, and
`left` in the next byte.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.output_steps import OUTPUTS, Ints, Steps

_NEAR = 64  # how far from the middle multipliers are tried
_MOST_RIGHT = 20  # an output times 2^(32 + right) stays below 2^60
_OWN_BITS = 1 << 16  # of an offset, for both shifts
_LIMIT = 1 << 62  # of products and offsets
_NEVER = np.iinfo(np.int64).max >> 1


@dataclass(frozen=True)
class LongProduct:
    """Constants of all channels of a layer; a channel with constant output has multiplier 0."""

    left: int
    right: int
    multiplier: NDArray[np.int32]
    offset: Ints

    def table(self) -> NDArray[np.int32]:
        """[channel][3]: multiplier, and the lower and upper half of the offset."""
        halves = self.offset.astype("<i8").view("<i4").reshape(-1, 2)
        return np.concatenate([self.multiplier[:, None], halves], axis=1).astype(np.int32)


def long_product(steps: Steps, *, own: bool = False) -> LongProduct | None:
    """Constants, or None where some channel has none. With `own`, each offset holds its channel's
    shifts, and `right` is 0.
    """
    largest = _right_shifts(steps, own)
    left = max(-int(largest.min()), 0)
    rights = np.minimum(largest + left, _MOST_RIGHT)
    right = 0 if own else int(rights.max())
    if int(max(np.abs(steps.low).max(), np.abs(steps.high).max())) << left >= 1 << 31:
        return None
    multiplier, offset = np.zeros(len(steps.at), np.int64), steps.constant << (32 + rights)
    shifts = rights + (left << 8)
    offset += shifts if own else 0
    missing = steps.moving
    for distance in sorted(range(-_NEAR, _NEAR + 1), key=abs):
        if not missing.size:
            break
        some = rights[missing]
        nominal = np.ldexp(steps.middle[missing], 32 + some - left)
        m = np.rint(nominal).astype(np.int64) + distance
        low, high = _offsets(steps, missing, m << left, some)
        r = low + ((high - low) >> 1)
        r = (r & -_OWN_BITS) + shifts[missing] if own else r
        fits = (low <= r) & (r <= high) & (m > 0) & (m < 1 << 31) & (np.abs(r) < _LIMIT)
        multiplier[missing[fits]], offset[missing[fits]] = m[fits], r[fits]
        missing = missing[~fits]
    if missing.size:
        return None
    return LongProduct(left, right, multiplier.astype(np.int32), offset)


def _right_shifts(steps: Steps, own: bool) -> Ints:
    """Largest right shift of each channel with which its multiplier has 31 bits; unless `own`, the
    steepest channel's for all. A negative shift goes left.
    """
    steepest = np.where(steps.middle > 0, steps.middle, 2.0**-40)
    moving = np.zeros(len(steepest), np.bool_)
    moving[steps.moving] = True
    each = np.where(moving, np.floor(-1.01 - np.log2(steepest)), _MOST_RIGHT).astype(np.int64)
    each = np.minimum(each, _MOST_RIGHT)
    return each if own else np.full(len(each), each.min() if steps.moving.size else 0)


def _offsets(steps: Steps, some: Ints, each: Ints, rights: Ints) -> tuple[Ints, Ints]:
    """Least and largest offset that all half planes of the channels `some` allow, where a sum is
    multiplied by `each` and shifted right by 32 + `rights`.
    """
    at, targets = steps.at[some], OUTPUTS << (32 + rights)[:, None]
    products = at * each[:, None]
    earlier = products - each[:, None]
    least = np.where(steps.reached[some], targets - products, -_NEVER)
    largest = np.where(steps.before[some], targets - 1 - earlier, _NEVER)
    return least.max(axis=1), largest.min(axis=1)
