"""The kernel row of depthwise convolutions for Helium: geometry, constants, scratch and overlap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.ir.types import i8, i32
from toolchain.op.clamp import clamp_range
from toolchain.op.convolution import filter_padding
from toolchain.op.describe import Kernel, Scratch
from toolchain.op.mve_packing import (
    VECTOR,
    folded_bias,
    geometry_words,
    requantization_words,
    right_shifts,
)
from toolchain.op.overlap import Distance
from toolchain.op.view import NodeView

MAX_RING = 8192  # bytes of scratch
# Channels of the vectors that VMULLB, VMULLT and then VMOVLB, VMOVLT make of sixteen.
WIDENED = np.array([0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15])


@dataclass(frozen=True)
class MveParams:
    """What a kernel may know at compile time: little, so that nodes share it."""

    batches: int


@dataclass(frozen=True)
class MveTables:
    """Constants for cmsis_mve.h and cmsis_mve_pixel.h."""

    geometry: NDArray[np.int32]  # the members of Geometry, or of PixelGeometry
    filter: NDArray[np.int8]  # [filter_height][filter_width][channels]
    # [channels / 16][36]: biases, multipliers, 16 x 1 byte shifts; channels in the order WIDENED
    requantization: NDArray[np.int32]


@dataclass(frozen=True)
class _Geometry:
    """What cmsis_mve.h calls Geometry."""

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
    rows: int
    columns: int
    pairs: int
    input_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int


def mve_params(node: NodeView) -> MveParams:
    """How many images."""
    return MveParams(node["x"].shape[0])


def _tables(node: NodeView) -> MveTables:
    """The filter as the model has it; bias and requantisation of sixteen channels at a time."""
    g, weights, requantization = _geometry(node), node["filter"].data, right_shifts(node)
    assert requantization is not None
    bias = folded_bias(node, weights.reshape(-1, weights.shape[3]).T)
    return MveTables(
        geometry_words(g),
        weights,
        requantization_words(bias, *requantization, WIDENED),
    )


def _geometry(node: NodeView) -> _Geometry:
    x, y, a = node["x"], node["y"], node.attributes
    _, filter_height, filter_width, channels = node["filter"].shape
    low, high = clamp_range(node)
    return _Geometry(
        batches=x.shape[0],
        input_height=x.shape[1],
        input_width=x.shape[2],
        channels=channels,
        filter_height=filter_height,
        filter_width=filter_width,
        output_height=y.shape[1],
        output_width=y.shape[2],
        stride_height=a["stride_height"],
        stride_width=a["stride_width"],
        dilation_height=a["dilation_height"],
        dilation_width=a["dilation_width"],
        padding_top=filter_padding(node, 1),
        padding_left=filter_padding(node, 2),
        rows=(filter_height - 1) * a["dilation_height"] + 1,
        columns=(y.shape[2] - 1) * a["stride_width"] + (filter_width - 1) * a["dilation_width"] + 1,
        pairs=_pairs(node),
        input_zero_point=x.zero_point,
        output_zero_point=y.zero_point,
        activation_min=low,
        activation_max=high,
    )


def _pairs(node: NodeView) -> int:
    """Of taps of the filter."""
    _, height, width, _ = node["filter"].shape
    return (height * width + 1) // 2


def _ring(node: NodeView) -> int:
    g = _geometry(node)
    return g.rows * g.columns * VECTOR


def _takes(node: NodeView) -> bool:
    """A channel of y for each of x, a bounded ring, shifts to the right, and weights whose products
    can be added in 16 bits: two of -128 could not."""
    weights = node["filter"]
    plain = weights.shape[3] == node["x"].shape[3] and weights.data.min() > -128
    return plain and _ring(node) <= MAX_RING and right_shifts(node) is not None


def _overlap(node: NodeView) -> Mapping[str, Distance]:
    """y may replace x where rows are in the ring before they are written over.

    Sixteen channels after the others, so a byte of x is only ever replaced by one of its channel.
    """
    g = _geometry(node)
    shrinks = g.output_height * g.output_width <= g.input_height * g.input_width
    for row in range(g.output_height):
        read = row * g.stride_height - g.padding_top + g.rows  # rows of x
        if read < g.input_height and (row + 1) * g.output_width > read * g.input_width:
            return {}
    return {"x": Distance(in_place=True)} if shrinks or g.batches == 1 else {}


def _instructions(node: NodeView) -> float:
    """Fitted to counts of 17 nodes, which are up to a tenth more or less."""
    g = _geometry(node)
    taps, groups = g.filter_height * g.filter_width, -(-g.channels // VECTOR)
    staged = (g.output_height - 1) * g.stride_height + g.rows
    lines = g.output_height * (75 + 23 * taps) + 45 * staged
    pixels = g.output_height * g.output_width * (106 + 23 * g.pairs)
    return float(g.batches * groups * (lines + pixels))


MVE_DEPTHWISE = Kernel(
    "cmsis_mve.h",
    requires={"mve"},
    cost=_instructions,
    when=_takes,
    params=mve_params,
    tables=_tables,
    overlap=_overlap,
    scratch=(
        Scratch("ring", i8, _ring),
        Scratch("weights", i8, lambda node: 2 * VECTOR * _pairs(node)),
        Scratch("taps", i32, lambda node: 2 * _pairs(node) + 1),
    ),
)
