"""Convolutions of int8 by mve_strips.h: images by strips, and channels in blocks of four."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array
from opsmith.op.fields import packed
from runtimes.cmsis.mve_packing import (
    OWN_FOURS,
    FourChannels,
    OwnFourChannels,
    blocked,
    channel_blocks,
    padded_inputs,
    steps,
)

MAX_STRIP = 8192
MAX_CHANNELS = (1 << 16) - 4  # of y: offsets of a scatter have 16 bits


@dataclass(frozen=True, kw_only=True)
class StripSizes:
    """Params of mve_strips.h: sizes of images, filter and strips."""

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


@dataclass(frozen=True, kw_only=True)
class Strips(StripSizes):
    """Params of mve_strips.h with zero points and output limits."""

    input_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int


def filter_steps(filters: Array) -> tuple[int, int]:
    """(inputs of the partial step, whole steps) of filters [channels][rows][columns][inputs]."""
    return steps(padded_inputs(len(filters), filters[0].size))


def filter_blocks(
    filters: Array,
    bias: NDArray[np.int64],
    multiplier: Array,
    shift: Array,
    *,
    own: bool = False,
    leads: bool = False,
) -> NDArray[np.int32]:
    """Filters [channels][rows][columns][inputs] in blocks of four channels, the last of which may
    overlap the one before.

    Each block has weights [step][4][inputs: filter column, row, channel], then `FourChannels`, or
    `OwnFourChannels` where `own` channels are shifted left. Biases already include the zero point
    of x. Where the last block `leads`, its constants are in front of the first one, too.
    """
    order = _blocks(len(filters))
    values = bias[order], multiplier[order], shift[order]
    if own:
        constants = packed(OwnFourChannels, OWN_FOURS(*values))
    else:
        constants = packed(FourChannels, channel_blocks(FourChannels, *values, np.arange(4)))
    words = constants.view(np.int32).reshape(len(constants), -1)
    blocks = np.concatenate([weight_blocks(filters), words], axis=1).reshape(-1)
    return np.concatenate([words[-1], blocks]) if leads else blocks


def weight_blocks(filters: Array) -> NDArray[np.int32]:
    """Weights of filter_blocks(), a row for each block."""
    by_column = filters.transpose(0, 2, 1, 3).reshape(len(filters), -1)
    inputs, order = padded_inputs(*by_column.shape), _blocks(len(filters))
    weights = blocked(by_column[order], inputs)[: len(order) * inputs]
    return weights.reshape(len(order) // 4, -1).view(np.int32)


def _blocks(channels: int) -> NDArray[np.int64]:
    """Channels in fours: the last four overlap the ones before; below four, the last repeats."""
    first = np.minimum(np.arange(0, channels, 4), max(channels - 4, 0))
    return np.minimum(first[:, None] + np.arange(4), channels - 1).reshape(-1)


def pixels_of_strip(width: int, strip: int, column: int, budget: int) -> int:
    """Number of output pixels of a row that share a strip: all, or an even number.

    `strip` bytes are for one pixel, `column` more for each further one.
    """
    if strip + (width - 1) * column <= budget:
        return width
    return min(max((budget - strip) // column + 1 & ~1, 2), width)
