"""How the sums of FullyConnectedI16x8 become int16 in kernels other than the reference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from toolchain.op import NodeView
from toolchain.op.clamp import clamp_range
from toolchain.op.dsp_packing import filled_up
from toolchain.op.dsp_requantization import product_bounds
from toolchain.op.exact_scale import exact_scales
from toolchain.op.narrow_requantization import wide_bias

from .params import scales


@dataclass(frozen=True)
class FastParams:
    """What such kernels may know at compile time."""

    rows: int
    depth: int
    channels: int
    wide: bool  # sums may need 64 bits, or double precision
    activation_min: int
    activation_max: int


def fast_params(node: NodeView) -> FastParams:
    """The sizes, the clamp and how sums are requantised."""
    channels, depth = node["weights"].shape
    wide = exact_table(node) is None
    return FastParams(node["x"].elements // depth, depth, channels, wide, *clamp_range(node))


def requantization(node: NodeView, multiple: int) -> NDArray[np.int32]:
    """[channels][4], Exact or Real, with zeros up to a multiple of so many channels."""
    exact = exact_table(node)
    table = _real_table(node) if exact is None else exact
    return filled_up(table, multiple)


def exact_table(node: NodeView) -> NDArray[np.int32] | None:
    """[channels][4]: bias and ExactScale, or None where sums need 64 bits or double precision."""
    bias, weights = wide_bias(node), node["weights"].data
    low, high = (bias + each for each in product_bounds(weights, node["x"].dtype.limits))
    limits = np.iinfo(np.int32)
    if np.any(low < limits.min) or np.any(high > limits.max):
        return None
    largest = np.maximum(np.abs(low), np.abs(high))
    ratios = np.broadcast_to(scales(node), len(bias))
    found = _scales(ratios.tobytes(), tuple(largest.tolist()))
    return None if found is None else np.column_stack([bias, found]).astype(np.int32)


@lru_cache(maxsize=256)
def _scales(ratios: bytes, largest: tuple[int, ...]) -> NDArray[np.int32] | None:
    return exact_scales(np.frombuffer(ratios, np.float64), largest)


def _real_table(node: NodeView) -> NDArray[np.int32]:
    """[channels][4]: bias and scale as numbers of 64 bits."""
    bias = np.ascontiguousarray(wide_bias(node), "<i8")
    ratios = np.ascontiguousarray(np.broadcast_to(scales(node), len(bias)), "<f8")
    return np.column_stack([each.view("<i4").reshape(-1, 2) for each in (bias, ratios)])
