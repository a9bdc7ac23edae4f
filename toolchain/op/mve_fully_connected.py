"""The kernel row of fully connected layers for Helium: its constants and its overlap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op.clamp import clamp_range
from toolchain.op.describe import Kernel
from toolchain.op.high_product import HighProduct, Ints, high_product, reachable
from toolchain.op.mve_packing import blocked, filled_rows, folded_bias, steps
from toolchain.op.overlap import Distance, pixel_distance, row_walk
from toolchain.op.view import NodeView

BLOCK = 4  # channels that are computed before any of them is written
Outputs = Callable[[NodeView, Ints], Ints]  # [n][channels] sums, with the bias -> elements of y


@dataclass(frozen=True)
class MveParams:
    """What a kernel may know at compile time."""

    rows: int
    depth: int
    channels: int
    tail: int  # inputs before the first whole vector, or 0: 16
    full_steps: int  # vectors of inputs after these
    per_channel: bool  # a multiplier for each channel, not one for all
    left: int
    right: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class MveTables:
    """Constants packed for cmsis_mve.h; channels are filled up to a multiple of four."""

    weights: NDArray[np.int8]  # [channels / 4][step][4][inputs]
    multiplier: NDArray[np.int32]  # [channels], or [1]
    offset: NDArray[np.int32]  # [channels]


def mve_fully_connected(outputs: Outputs, cost: Callable[[NodeView], float]) -> Kernel:
    """The row, for an op whose sums become outputs in this way."""

    def takes(node: NodeView) -> bool:
        return _requantization(node, outputs) is not None

    def params(node: NodeView) -> MveParams:
        found = _requantization(node, outputs)
        assert found is not None
        channels, depth = node["weights"].shape
        rows = node["x"].elements // depth
        per_channel = len(found.multiplier) > 1
        shifts = found.left, found.right
        clamp = clamp_range(node)
        return MveParams(rows, depth, channels, *steps(depth), per_channel, *shifts, *clamp)

    def tables(node: NodeView) -> MveTables:
        found = _requantization(node, outputs)
        assert found is not None
        weights = node["weights"].data
        multiplier = found.multiplier
        if len(multiplier) > 1:
            multiplier = filled_rows(multiplier, BLOCK)
        packed = blocked(weights, weights.shape[1])
        return MveTables(packed, multiplier, filled_rows(found.offset, BLOCK))

    return Kernel(
        "cmsis_mve.h",
        requires={"mve"},
        cost=cost,
        when=takes,
        params=params,
        tables=tables,
        overlap=_overlap,
    )


def _requantization(node: NodeView, outputs: Outputs) -> HighProduct | None:
    """The constants, where weights are symmetric and thresholds prove them."""
    quantization, weights = node["weights"].quantization, node["weights"].data
    assert quantization is not None
    if any(quantization.zero_points):
        return None
    scale = node["x"].scale * np.array(quantization.scales, np.float64) / node["y"].scale
    bias, clamp = folded_bias(node, weights), clamp_range(node)
    wanted = np.arange(clamp[0] + 1, clamp[1] + 1)[:, None] - node["y"].zero_point - 0.5
    with np.errstate(divide="ignore"):
        guess = np.clip(wanted / scale - bias, -(2.0**40), 2.0**40).astype(np.int64)
    sums = reachable(weights, scale, node["x"].dtype.limits)
    return high_product(sums, guess, lambda p: outputs(node, p + bias), clamp)


def _overlap(node: NodeView) -> Mapping[str, Distance]:
    """Row by row: a block of channels of y may need all of x's row after another was written."""
    channels, depth = node["weights"].shape
    walk = row_walk(node["x"].elements // depth)
    return {"x": Distance(pixel_distance(walk, depth, channels, BLOCK).forward)}
