"""How large the 32-bit sums of a node's products can get: what may overflow is refused."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from toolchain.ir import Array, Tensor

LIMIT = (1 << 31) - 256  # leaves room to add a zero point


def accumulator_bounds(x: Tensor, weights: Array, bias: Array) -> NDArray[np.int64]:
    """The largest magnitude of sum(weights * (x - zero point)) + bias of every row of weights."""
    low, high = x.dtype.limits
    widest = max(x.zero_point - low, high - x.zero_point)
    magnitudes = np.abs(weights.astype(np.int64)).sum(axis=1) * widest + np.abs(
        bias.astype(np.int64)
    )
    return np.asarray(magnitudes, np.int64)


def overflow_problems(bounds: NDArray[np.int64], shift: Array | int = 0) -> Iterator[str]:
    """A sentence when a sum, shifted left for its requantisation, may leave 32 bits."""
    left = np.maximum(np.asarray(shift, np.int64), 0)
    wide = np.flatnonzero(bounds > (LIMIT >> left))
    if wide.size:
        yield f"the sums of output channel {wide[0]} may overflow 32 bits"
