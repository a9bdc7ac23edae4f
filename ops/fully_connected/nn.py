"""Constants for CMSIS-NN's fully connected layers, and whether these round as the reference does.

The library requantises sums in Q31 fixed point, the reference in double precision. Both are
monotonic, so each is told by its thresholds: for every output the least sum that reaches it. The
library is exact for a node where these agree as far as sums can go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import NodeView
from toolchain.op.accumulator import accumulator_bounds
from toolchain.op.arithmetic import multiply_by_quantized_multiplier, quantize_multiplier
from toolchain.op.clamp import clamp_range
from toolchain.op.per_channel import bias_table

from .params import params, requantized, scales, weights_zero_point

Sums = NDArray[np.int64]
DIFFERS = "sums are rounded in Q31 fixed point, so that rare elements differ by 1"


@dataclass(frozen=True)
class NnTables:
    """Constants, one entry per output channel but for the weights; of one scale, one entry."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int32]
    sums: NDArray[np.int32]  # the bias, with what the input's zero point adds
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int32]  # power of two, left is positive


def nn_tables(node: NodeView) -> NnTables:
    """The constants of a node whose weights have zero point 0."""
    weights = node["weights"].data
    bias = bias_table(node, len(weights))
    sums = bias - node["x"].zero_point * weights.sum(axis=1, dtype=np.int64)
    multiplier, shift = _fixed(node)
    return NnTables(weights, bias, sums.astype(np.int32), multiplier, shift)


def takes(node: NodeView) -> bool:
    """Symmetric weights: of others, releases differ in what they do."""
    return weights_zero_point(node) == 0


def inexact(node: NodeView) -> str:
    """How the library may differ from the reference; "" where it cannot."""
    weights, (low, high) = node["weights"].data, clamp_range(node)
    bounds = accumulator_bounds(node["x"], weights, bias_table(node, len(weights)))
    multiplier, shift = _fixed(node)
    if np.any(bounds << np.maximum(shift, 0).astype(np.int64) >= 1 << 31):
        return DIFFERS

    def reference(sums: Sums) -> Sums:
        return requantized(params(node), scales(node), sums)

    def library(sums: Sums) -> Sums:
        scaled = multiply_by_quantized_multiplier(sums, multiplier, shift)
        return np.clip(scaled + node["y"].zero_point, low, high)

    outputs = np.arange(low + 1, high + 1)[:, np.newaxis]
    wanted, found = (_thresholds(each, bounds, outputs) for each in (reference, library))
    return "" if np.array_equal(wanted, found) else DIFFERS


def _fixed(node: NodeView) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    pairs = [quantize_multiplier(float(scale)) for scale in scales(node)]
    multiplier, shift = zip(*pairs, strict=True)
    return np.array(multiplier, np.int32), np.array(shift, np.int32)


def _thresholds(function: Callable[[Sums], Sums], bounds: Sums, outputs: Sums) -> Sums:
    """For each output and channel the least sum of -bounds to bounds that gives it, or more.

    Where none does, the first sum beyond.
    """
    low = np.broadcast_to(-bounds, (len(outputs), len(bounds))).copy()
    high = np.broadcast_to(bounds + 1, low.shape).copy()
    while np.any(low < high):
        middle = (low + high) >> 1
        reached = (function(middle) >= outputs) & (low < high)
        high = np.where(reached, middle, high)
        low = np.where(reached | (low >= high), low, middle + 1)
    return low
