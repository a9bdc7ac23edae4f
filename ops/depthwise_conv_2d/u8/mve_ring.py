"""DepthwiseConv2D of uint8 by mve_ring.h, for Helium: as int8, with an offset of all weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.mve_packing import SixteenChannels, channel_blocks
from runtimes.core.per_channel import folded_bias
from runtimes.families.depthwise import DEPTHWISE
from toolchain.op import Array, Kernel, NodeView, Plan, Refused, i8, i32
from toolchain.op.clamp import clamp_range

from ..i8.mve import WIDENED, Geometry, geometry, planned
from ..i8.mve import cost as int8_cost

MAX_TAPS = 255  # whose inputs halfwords sum up


@dataclass(frozen=True)
class MveRingParams:
    """Nothing: all is in tables, so that nodes share the code."""


@dataclass(frozen=True)
class OffsetRing(Geometry):
    """The same with what is added to all weights. Zero points and bounds are 128 less."""

    weights_offset: int


@dataclass(frozen=True)
class MveRingTables:
    """Constants for mve_ring.h."""

    geometry: OffsetRing
    filter: NDArray[np.int8]  # [filter_height][filter_width][channels], without offset
    requantization: tuple[SixteenChannels, ...]  # in the order WIDENED


def plan(node: NodeView) -> Plan | Refused:
    """For what the kernel of int8 takes, and weights that lie within 255 of each other."""
    weights = DEPTHWISE.lifted_rows(node)
    if np.ptp(weights) > 254:
        return Refused("weights differ by more than 254: two products may need 17 bits")
    if weights.shape[1] > MAX_TAPS:
        return Refused(f"filter has {weights.shape[1]} taps, more than {MAX_TAPS}")
    return planned(node, MveRingParams(), _tables)


def _offset(weights: Array) -> int:
    """What all have in common, so that the rest is -127 to 127."""
    least, greatest = int(weights.min()), int(weights.max())
    return 0 if least >= -127 and greatest <= 127 else least + 127


def _tables(node: NodeView, requantization: tuple[Array, Array]) -> MveRingTables:
    rows, (low, high) = DEPTHWISE.lifted_rows(node), clamp_range(node)
    offset = _offset(rows)
    # inputs and their zero point have 128 less, which their difference does not show
    bias = folded_bias(node, rows) + 128 * rows.sum(axis=1, dtype=np.int64)
    less = {
        "input_zero_point": node["x"].zero_point - 128,
        "output_zero_point": node["y"].zero_point - 128,
        "activation_min": low - 128,
        "activation_max": high - 128,
    }
    return MveRingTables(
        geometry(OffsetRing, node, weights_offset=offset, **less),
        (rows - offset).T.astype(np.int8).reshape(node["filter"].shape[1:]),
        channel_blocks(SixteenChannels, bias, *requantization, WIDENED),
    )


def cost(node: NodeView) -> float:
    """That of int8, and what the sums of inputs take: fitted to counts of four nodes."""
    return int8_cost(node) * (1.5 if _offset(DEPTHWISE.lifted_rows(node)) else 1.05)


MVE_RING = Kernel(
    "mve_ring",
    MveRingParams,
    plan,
    MveRingTables,
    scratch={"ring": i8, "weights": i8, "taps": i32},
    requires={"mve"},
    cost=cost,
)
