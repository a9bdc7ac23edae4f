"""What the kernels of FullyConnected for int8 share: params, and how sums become elements of y."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from runtimes.core.dsp_requantization import product_bounds
from runtimes.core.per_channel import bias_table
from runtimes.core.threshold_requantization import Sums, Thresholds, threshold_requantization
from runtimes.families.matmul import Sizes, half_away, scales, sizes
from toolchain.op import NodeView, Refused
from toolchain.op.clamp import clamp_range

LEFT_SHIFTS = range(13, 7, -1)  # sums of dsp.h's channel b are 256 times too large: 8 or more
NOT_PROVED = Refused("no single product is exact for all its sums")


@dataclass(frozen=True, kw_only=True)
class ClampedSizes(Sizes):
    """The sizes, and the bounds of y."""

    activation_min: int
    activation_max: int


@dataclass(frozen=True, kw_only=True)
class ShiftParams(ClampedSizes):
    """The same for kernels that requantise by thresholds."""

    left_shift: int  # of Threshold
    right_shift: int


@dataclass(frozen=True, kw_only=True)
class ScaledParams(ClampedSizes):
    """The same for kernels that multiply sums by scales."""

    per_channel: bool  # one scale for each output channel, not one for all
    output_zero_point: int


def clamped_sizes(node: NodeView) -> ClampedSizes:
    """The sizes and bounds of a node."""
    low, high = clamp_range(node)
    return ClampedSizes(**vars(sizes(node)), activation_min=low, activation_max=high)


def shift_params(node: NodeView, found: Thresholds) -> ShiftParams:
    """The params of a node that is requantised so."""
    shifts = {"left_shift": found.left, "right_shift": found.right}
    return ShiftParams(**vars(clamped_sizes(node)), **shifts)


def scaled_params(node: NodeView) -> ScaledParams:
    """The params of a node, with the zero point of y."""
    return ScaledParams(
        **vars(clamped_sizes(node)),
        per_channel=len(scales(node)) > 1,
        output_zero_point=node["y"].zero_point,
    )


def weights_zero_point(node: NodeView) -> int:
    """The zero point of all weights."""
    quantization = node["weights"].quantization
    assert quantization is not None
    return 0 if quantization.per_channel else quantization.zero_points[0]


def asymmetric(node: NodeView) -> Refused | None:
    """The refusal of kernels for symmetric weights, where these are not."""
    zero_point = weights_zero_point(node)
    return Refused(f"weights have zero point {zero_point}, not 0") if zero_point else None


def bias_of(node: NodeView) -> NDArray[np.int32]:
    """The bias of each channel."""
    return bias_table(node, node["weights"].shape[0])


def requantized(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """The elements of y for [any][channels] sums; a larger sum never gives a smaller element."""
    rounded = half_away(sums.astype(np.float64) * scales(node)) + node["y"].zero_point
    return np.asarray(np.clip(rounded, *clamp_range(node)), np.int64)


def thresholds(node: NodeView) -> Thresholds | None:
    """One multiplication for each channel that gives the outputs of all sums, if there is one."""
    weights = node["weights"].data
    return _solved(
        weights.shape,
        weights.tobytes(),
        bias_of(node).astype(np.int64).tobytes(),
        scales(node).tobytes(),
        (node["x"].zero_point, node["y"].zero_point),
        node["x"].dtype.limits,
        clamp_range(node),
    )


@lru_cache(maxsize=256)
def _solved(
    shape: tuple[int, int],
    weights: bytes,
    bias: bytes,
    scale: bytes,
    zero_points: tuple[int, int],
    limits: tuple[int, int],
    clamp: tuple[int, int],
) -> Thresholds | None:
    rows, slope = np.frombuffer(weights, np.int8).reshape(shape), np.frombuffer(scale, np.float64)
    sums = rows.sum(axis=1, dtype=np.int64)
    folded = np.frombuffer(bias, np.int64) - zero_points[0] * sums

    def output(products: NDArray[np.int64]) -> NDArray[np.int64]:
        scaled = half_away((products + folded[:, None]).T.astype(np.float64) * slope)
        return np.asarray(np.clip(scaled + zero_points[1], *clamp), np.int64).T

    slopes = np.broadcast_to(slope, shape[:1])
    return threshold_requantization(
        Sums(*product_bounds(rows, limits), output, slopes, clamp), LEFT_SHIFTS
    )
