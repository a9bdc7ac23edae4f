"""Requantisation in seven instructions: when it is exact, and its constants.

`runtimes/cmsis/dsp.h` computes (h + (h >> 31) + half + (zero_point << shift)) >> shift with h, the
rounded high half of 2 * sum * multiplier. That is TFLite's double rounding when |sum| < 2^30 and
1 <= shift <= 22: no step overflows, and zero_point << shift is a multiple of 2^shift.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.ir import Array
from toolchain.op.arithmetic import multiply_by_quantized_multiplier
from toolchain.op.per_channel import bias_table, channel_multipliers
from toolchain.op.view import NodeView

LARGEST_SUM = 1 << 30
LARGEST_SHIFT = 22  # an int8 zero point shifted so far stays below 2^30
CERTAIN = 512  # an output so far from its zero point is beyond int8 whatever that is


@dataclass(frozen=True)
class Short:
    """A linear op's constants for the short form, with a row of weights for each channel."""

    weights: NDArray[np.int8]
    bias: NDArray[np.int32]  # with what the input's zero point adds
    channels: NDArray[np.int32]  # [channel][3]: the members of dsp::Channel


def short_requantization(node: NodeView, weights: Array) -> Short | None:
    """The constants, or None where the short form is not exact for some channel.

    A channel whose output is the same for all inputs, as training leaves them, gets weights 0 and
    a sum of four times that output, which multiplier 2^30 and shift 1 divide by four.
    """
    multiplier, shift = channel_multipliers(node)
    low, high = _reachable(node, weights)
    lowest, highest = (
        multiply_by_quantized_multiplier(sums, multiplier, shift) for sums in (low, high)
    )
    constant = lowest == highest  # requantisation is monotonic
    bias = bias_table(node, len(weights)) - node["x"].zero_point * _sums(weights)
    right = np.where(constant, 1, -shift.astype(np.int32))
    reach = np.maximum(np.abs(low), np.abs(high))
    if np.any((reach >= LARGEST_SUM) & ~constant) or np.any((right < 1) | (right > LARGEST_SHIFT)):
        return None
    multiplier = np.where(constant, 1 << 30, multiplier)
    offset = (1 << (right - 1)) + (node["y"].zero_point << right)
    return Short(
        np.where(constant[:, None], 0, weights).astype(np.int8),
        np.where(constant, 4 * np.clip(lowest, -CERTAIN, CERTAIN), bias).astype(np.int32),
        np.stack([multiplier, offset, right], axis=1).astype(np.int32),
    )


def _reachable(node: NodeView, weights: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The least and the largest sum of each channel over all inputs."""
    x = node["x"]
    below, above = (limit - x.zero_point for limit in x.dtype.limits)
    positive, negative = _sums(np.maximum(weights, 0)), _sums(np.minimum(weights, 0))
    bias = bias_table(node, len(weights)).astype(np.int64)
    return bias + positive * below + negative * above, bias + positive * above + negative * below


def _sums(weights: Array) -> NDArray[np.int64]:
    return np.asarray(weights.sum(axis=1, dtype=np.int64))
