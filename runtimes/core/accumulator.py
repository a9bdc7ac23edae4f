"""Bounds of the 32-bit sums of a node's products; sums that may overflow are refused."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array, Tensor

LIMIT = (1 << 31) - 256  # leaves room to add a zero point


_AT_ONCE = 1 << 18  # weights whose magnitudes are in memory at once


def accumulator_bounds(
    x: Tensor, weights: Array, bias: Array, zero_point: int = 0
) -> NDArray[np.int64]:
    """Largest magnitude of each row's sum((weights - zero_point) * (x - x's zero point)) + bias."""
    low, high = x.dtype.limits
    widest = max(x.zero_point - low, high - x.zero_point)
    sums = np.empty(len(weights), np.int64)
    rows = max(_AT_ONCE // max(weights.shape[1], 1), 1)
    for start in range(0, len(weights), rows):
        part = weights[start : start + rows].astype(np.int32) - zero_point
        sums[start : start + rows] = np.abs(part).sum(axis=1, dtype=np.int64)
    return np.asarray(sums * widest + np.abs(bias.astype(np.int64)), np.int64)


def overflow_problems(
    bounds: NDArray[np.int64], shift: Array | int = 0, bias: Array | None = None
) -> Iterator[str]:
    """Sentence about a sum that may leave 32 bits when shifted left for its requantisation.

    The sentence blames the bias or the shift where either is the cause.
    """
    left = np.maximum(np.asarray(shift, np.int64), 0)
    wide = np.flatnonzero(bounds > (LIMIT >> left))
    if wide.size:
        channel = wide[0]
        what = f"the sums of output channel {channel} may overflow 32 bits"
        if bias is not None and abs(int(bias[channel])) > LIMIT:
            what += f": its bias is {bias[channel]}, where a quantiser has cut it off"
        elif bounds[channel] <= LIMIT:
            by = int(np.broadcast_to(left, bounds.shape)[channel])
            what += f": they are shifted left by {by}, as the output's scale is that small"
        yield what
