"""How the sums of FullyConnectedI16x8 become int16 in kernels other than the reference."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from toolchain.op import NodeView
from toolchain.op.dsp_requantization import product_bounds
from toolchain.op.exact_scale import exact_scales
from toolchain.op.narrow_requantization import wide_bias

from .shape import scales


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


def real_table(node: NodeView) -> NDArray[np.int32]:
    """[channels][4]: bias and scale as numbers of 64 bits."""
    bias = np.ascontiguousarray(wide_bias(node), "<i8")
    ratios = np.ascontiguousarray(np.broadcast_to(scales(node), len(bias)), "<f8")
    return np.column_stack([each.view("<i4").reshape(-1, 2) for each in (bias, ratios)])
