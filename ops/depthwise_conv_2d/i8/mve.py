"""DepthwiseConv2D of int8 by mve.h, for Helium: sixteen channels and a ring of rows at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from opsmith.op import Array, Distance, Kernel, NodeView, Plan, Refused, i8, i32
from opsmith.runtimes.cmsis.mve_packing import (
    NOT_TO_THE_RIGHT,
    VECTOR,
    SixteenChannels,
    channel_blocks,
    right_shifts,
)
from opsmith.runtimes.core.per_channel import folded_bias
from opsmith.runtimes.families.depthwise import DEPTHWISE, refused_multiplier

MAX_RING = 8192  # bytes of scratch
# Channels of the vectors that VMULLB, VMULLT and then VMOVLB, VMOVLT make of sixteen.
WIDENED = np.array([0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15])


@dataclass(frozen=True)
class MveParams:
    """Nothing: all is in tables, so that nodes share the code."""


@dataclass(frozen=True)
class Geometry:
    """The images, the filter, the ring of rows, and how outputs are clamped."""

    batches: int
    input_height: int
    input_width: int
    channels: int
    filter_height: int
    filter_width: int
    output_height: int
    output_width: int
    stride_height: int
    stride_width: int
    dilation_height: int
    dilation_width: int
    padding_top: int
    padding_left: int
    rows: int  # of the ring: as many as the filter covers
    columns: int  # of the ring: all that a row of y needs
    ring_bytes: int
    pairs: int  # of taps; one tap of weight 0 is added to an odd number
    input_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class MveTables:
    """Constants for mve.h."""

    geometry: Geometry
    filter: NDArray[np.int8]  # [filter_height][filter_width][channels]
    requantization: tuple[SixteenChannels, ...]  # in the order WIDENED


def plan(node: NodeView) -> Plan | Refused:
    """For one filter for each channel, a bounded ring, shifts to the right, and weights whose
    products can be added in 16 bits: two of -128 could not.
    """
    if refused := refused_multiplier(node):
        return refused
    if node["filter"].data.min() == -128:
        return Refused("a weight is -128: two of its products may need 17 bits")
    g, requantization = _geometry(node), right_shifts(node)
    if g.ring_bytes > MAX_RING:
        return Refused(f"a ring of rows has {g.ring_bytes} bytes, more than {MAX_RING}")
    if requantization is None:
        return Refused(NOT_TO_THE_RIGHT)
    return Plan(
        MveParams(),
        partial(_tables, node, requantization),
        {"ring": g.ring_bytes, "weights": 2 * VECTOR * g.pairs, "taps": 2 * g.pairs + 1},
        partial(_overlap, g),
    )


def _tables(node: NodeView, requantization: tuple[Array, Array]) -> MveTables:
    """The filter as the model has it; bias and requantisation of sixteen channels at a time."""
    bias = folded_bias(node, DEPTHWISE.rows(node))
    constants = channel_blocks(SixteenChannels, bias, *requantization, WIDENED)
    return MveTables(_geometry(node), node["filter"].data, constants)


def _geometry(node: NodeView) -> Geometry:
    a, (_, height, width, _) = node.attributes, node["filter"].shape
    rows = (height - 1) * a["dilation_height"] + 1
    covered = (width - 1) * a["dilation_width"] + 1
    columns = (node["y"].shape[2] - 1) * a["stride_width"] + covered
    ring = {"rows": rows, "columns": columns, "ring_bytes": rows * columns * VECTOR}
    return DEPTHWISE.params(Geometry, node, **ring, pairs=(height * width + 1) // 2)


def _overlap(g: Geometry) -> dict[str, Distance]:
    """y may replace x where rows are in the ring before they are written over.

    Sixteen channels after the others, so a byte of x is only ever replaced by one of its channel.
    """
    shrinks = g.output_height * g.output_width <= g.input_height * g.input_width
    for row in range(g.output_height):
        read = row * g.stride_height - g.padding_top + g.rows  # rows of x
        if read < g.input_height and (row + 1) * g.output_width > read * g.input_width:
            return {}
    return {"x": Distance(in_place=True)} if shrinks or g.batches == 1 else {}


def cost(node: NodeView) -> float:
    """Fitted to counts of 17 nodes, which are up to a tenth more or less."""
    g = _geometry(node)
    taps, groups = g.filter_height * g.filter_width, -(-g.channels // VECTOR)
    staged = (g.output_height - 1) * g.stride_height + g.rows
    lines = g.output_height * (75 + 23 * taps) + 45 * staged
    pixels = g.output_height * g.output_width * (106 + 23 * g.pairs)
    return float(g.batches * groups * (lines + pixels))


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    scratch={"ring": i8, "weights": i8, "taps": i32},
    requires={"mve"},
    cost=cost,
)
KERNELS = (MVE,)
