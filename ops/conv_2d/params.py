"""What the kernels of Conv2D are given: the geometry and the constants of a node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import NodeView
from toolchain.op.clamp import clamp_range
from toolchain.op.convolution import filter_padding
from toolchain.op.per_channel import bias_table, channel_multipliers


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time. Sizes in pixels and channels."""

    batches: int
    input_height: int
    input_width: int
    input_channels: int
    filter_height: int
    filter_width: int
    filter_channels: int  # input channels of one group
    output_height: int
    output_width: int
    output_channels: int
    stride_height: int
    stride_width: int
    dilation_height: int
    dilation_width: int
    padding_top: int
    padding_left: int
    input_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int
    reversed: bool  # walk from the last pixel to the first


@dataclass(frozen=True)
class Tables:
    """Constants, one entry per output channel but for the filter."""

    filter: NDArray[np.int8]  # [output_channels][filter_height][filter_width][filter_channels]
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int8]  # power of two, left is positive


def params(node: NodeView) -> Params:
    """The geometry and the zero points of this node."""
    x, weights, y, a = node["x"], node["filter"], node["y"], node.attributes
    low, high = clamp_range(node)
    return Params(
        batches=x.shape[0],
        input_height=x.shape[1],
        input_width=x.shape[2],
        input_channels=x.shape[3],
        filter_height=weights.shape[1],
        filter_width=weights.shape[2],
        filter_channels=weights.shape[3],
        output_height=y.shape[1],
        output_width=y.shape[2],
        output_channels=y.shape[3],
        stride_height=a["stride_height"],
        stride_width=a["stride_width"],
        dilation_height=a["dilation_height"],
        dilation_width=a["dilation_width"],
        padding_top=filter_padding(node, 1),
        padding_left=filter_padding(node, 2),
        input_zero_point=x.zero_point,
        output_zero_point=y.zero_point,
        activation_min=low,
        activation_max=high,
        reversed=node.reversed,
    )


def tables(node: NodeView) -> Tables:
    """The filter as the model has it; bias and requantisation per output channel."""
    multiplier, shift = channel_multipliers(node)
    channels = node["filter"].shape[0]
    return Tables(node["filter"].data, bias_table(node, channels), multiplier, shift)
