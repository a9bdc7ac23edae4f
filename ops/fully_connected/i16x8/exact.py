"""How kernels other than the reference requantise sums of int16: by integers, where that is exact.

Where it is not, or where sums need 64 bits, they do it in double precision, as the reference does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.dsp_packing import filled_up
from runtimes.core.dsp_requantization import product_bounds
from runtimes.core.exact_scale import exact_scales
from runtimes.core.narrow_requantization import wide_bias
from runtimes.families.matmul import Sizes, scales, sizes
from toolchain.op import NodeView
from toolchain.op.clamp import clamp_range


@dataclass(frozen=True, kw_only=True)
class ExactParams(Sizes):
    """The sizes, the bounds of y, and how sums are requantised."""

    wide: bool  # sums may need 64 bits, or double precision
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class Requantization:
    """How the sums of a node become elements of y."""

    wide: bool
    table: NDArray[np.int32]  # [channels][4], Exact of runtimes/core/exact_scale.h or, wide, Real

    def params(self, node: NodeView) -> ExactParams:
        """The params of the node."""
        low, high = clamp_range(node)
        return ExactParams(
            **vars(sizes(node)), wide=self.wide, activation_min=low, activation_max=high
        )

    def filled(self, multiple: int) -> NDArray[np.int32]:
        """The table, with zeros up to a multiple of so many channels."""
        return filled_up(self.table, multiple)


def requantization(node: NodeView) -> Requantization:
    """By integers, where these are proved to round as double precision does."""
    exact = _exact_table(node)
    return Requantization(exact is None, _real_table(node) if exact is None else exact)


def _exact_table(node: NodeView) -> NDArray[np.int32] | None:
    """Bias and ExactScale, or None where sums need 64 bits or double precision."""
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
    """Bias and scale as numbers of 64 bits."""
    bias = np.ascontiguousarray(wide_bias(node), "<i8")
    ratios = np.ascontiguousarray(np.broadcast_to(scales(node), len(bias)), "<f8")
    return np.column_stack([each.view("<i4").reshape(-1, 2) for each in (bias, ratios)])
