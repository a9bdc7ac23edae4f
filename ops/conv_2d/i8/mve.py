"""Conv2D of int8 by mve.h, for Helium: strips of the image, and blocks of four channels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.mve_packing import (
    NOT_TO_THE_RIGHT,
    VECTOR,
    FourChannels,
    blocked,
    channel_blocks,
    padded_inputs,
    right_shifts,
    steps,
)
from runtimes.core.per_channel import folded_bias
from runtimes.families.convolution import CONVOLUTION, geometry, refused_groups
from runtimes.families.window import image_walk
from toolchain.op import Array, Distance, Kernel, NodeView, Plan, Refused, i8
from toolchain.op.clamp import clamp_range
from toolchain.op.fields import packed
from toolchain.op.overlap import group_distance

ROW = 512  # bytes of scratch for pixels of a pointwise convolution
STRIP = 2048  # and for columns under larger filters, unless two pixels need more
MAX_STRIP = 8192
MAX_CHANNELS = (1 << 16) - 4  # of y: offsets of a scatter have 16 bits


@dataclass(frozen=True, kw_only=True)
class MveParams:
    """What decides about the code: all else is in a table, so that nodes share it."""

    linear: bool  # outputs below the zero point are not all clamped to one
    reversed: bool = False  # walk from the last group of pixels to the first


@dataclass(frozen=True)
class Geometry:
    """The images, the filter, and the clamp; a pointwise convolution has a single row."""

    batches: int
    input_height: int
    input_width: int
    input_channels: int
    filter_height: int
    filter_width: int
    output_height: int
    output_width: int
    output_channels: int
    stride_height: int
    stride_width: int
    dilation_height: int
    padding_top: int
    padding_left: int
    group: int  # output pixels of a row that share a strip
    tail: int  # inputs of a pixel before the first whole vector, or 0: 16
    full_steps: int  # vectors of inputs after these
    input_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class MveTables:
    """Constants packed for mve.h, in blocks of four channels: the last ones overlap."""

    geometry: Geometry
    # of each block int8 weights [step][4][inputs: filter column, row, channel], then FourChannels
    blocks: NDArray[np.int32]


def plan(node: NodeView) -> Plan | Refused:
    """For one group, columns that are neighbours, a bounded strip, and shifts to the right."""
    strip = _strip(node, _group(node)) + VECTOR  # and what the last vector of inputs reads
    if refused := refused_groups(node):
        return refused
    if (dilation := node.attributes["dilation_width"]) != 1:
        return Refused(f"columns are dilated by {dilation}")
    if (channels := node["y"].shape[3]) > MAX_CHANNELS:
        return Refused(f"{channels} output channels, more than {MAX_CHANNELS}")
    if strip > MAX_STRIP:
        return Refused(f"a strip has {strip} bytes, more than {MAX_STRIP}")
    requantization = right_shifts(node)
    if requantization is None:
        return Refused(NOT_TO_THE_RIGHT)
    linear = clamp_range(node)[0] < node["y"].zero_point
    return Plan(
        MveParams(linear=linear),
        partial(_tables, node, requantization),
        {"strip": strip},
        partial(_overlap, node),
    )


def _tables(node: NodeView, requantization: tuple[Array, Array]) -> MveTables:
    """The filter in blocks of four channels, with columns before rows."""
    weights = node["filter"].data
    channels = len(weights)
    by_column = weights.transpose(0, 2, 1, 3).reshape(channels, -1)
    inputs = padded_inputs(channels, by_column.shape[1])
    order = _blocks(channels)
    bias, (multiplier, shift) = folded_bias(node, by_column), requantization
    constants = packed(
        FourChannels,
        channel_blocks(FourChannels, bias[order], multiplier[order], shift[order], np.arange(4)),
    )
    words = constants.view(np.int32).reshape(len(constants), -1)
    filters = blocked(by_column[order], inputs)[: len(order) * inputs].reshape(len(words), -1)
    blocks = np.concatenate([filters.view(np.int32), words], axis=1)
    return MveTables(_geometry(node), blocks.reshape(-1))


def _blocks(channels: int) -> NDArray[np.int64]:
    """Channels by four: the last four overlap; with fewer than four, the last is repeated."""
    first = np.minimum(np.arange(0, channels, 4), max(channels - 4, 0))
    return np.minimum(first[:, None] + np.arange(4), channels - 1).reshape(-1)


def _geometry(node: NodeView) -> Geometry:
    height, width = _rows(node)
    channels, inputs = node["y"].shape[3], CONVOLUTION.inputs(node)
    tail, full_steps = steps(padded_inputs(channels, inputs))
    image = {"output_height": height, "output_width": width, "group": _group(node)}
    if _is_pointwise(node):
        image.update(input_height=1, input_width=width)
    return CONVOLUTION.params(Geometry, node, **image, tail=tail, full_steps=full_steps)


def _is_pointwise(node: NodeView) -> bool:
    """Whether pixel i of y needs pixel i of x alone."""
    strides = node.attributes["stride_height"], node.attributes["stride_width"]
    same = node["x"].shape[:3] == node["y"].shape[:3]
    return same and strides == (1, 1) and node["filter"].shape[1:3] == (1, 1)


def _rows(node: NodeView) -> tuple[int, int]:
    """How many rows of y the kernel sees, and of how many pixels."""
    _, height, width, _ = node["y"].shape
    return (1, height * width) if _is_pointwise(node) else (height, width)


def _strip(node: NodeView, pixels: int) -> int:
    """Bytes of the columns that so many neighbours in a row of y need."""
    _, height, width, channels = node["filter"].shape
    columns = (pixels - 1) * node.attributes["stride_width"] + width
    return int(columns * height * channels)


def _group(node: NodeView) -> int:
    """How many output pixels of a row share a strip: all, or an even number."""
    width = _rows(node)[1]
    budget = ROW if _is_pointwise(node) else STRIP
    if _strip(node, width) <= budget:
        return width
    one = _strip(node, 2) - _strip(node, 1)
    return min(max((budget - _strip(node, 1)) // one + 1 & ~1, 2), width)


def _overlap(node: NodeView) -> dict[str, Distance]:
    """All that a group of pixels needs is copied to scratch before any of them is written."""
    read, written = node["x"].shape[3], node["y"].shape[3]
    walk = image_walk(geometry(node))
    return {"x": group_distance(walk, _rows(node)[1], _group(node), read, written)}


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    scratch={"strip": i8},
    requires={"mve"},
    cost=CONVOLUTION.cost(0.11, 6.0),
)
