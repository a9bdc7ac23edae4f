"""What the kernels of Conv2DI16x8 are given: the geometry and the constants of a node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Distance, NodeView
from toolchain.op.clamp import clamp_range
from toolchain.op.convolution import filter_padding
from toolchain.op.narrow_requantization import narrow_multipliers, wide_bias
from toolchain.op.overlap import group_distance
from toolchain.op.window import image_walk

WIDTH = 2  # bytes of an element of x and y


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
    activation_min: int
    activation_max: int
    reversed: bool  # walk from the last pixel to the first


@dataclass(frozen=True)
class Tables:
    """Constants, one entry per output channel but for the filter."""

    filter: NDArray[np.int8]  # [output_channels][filter_height][filter_width][filter_channels]
    bias: NDArray[np.int64]
    multiplier: NDArray[np.int16]  # Q15
    shift: NDArray[np.int8]  # to the right, at least 8


def params(node: NodeView) -> Params:
    """The geometry and the activation of this node."""
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
        activation_min=low,
        activation_max=high,
        reversed=node.reversed,
    )


def group_overlap(node: NodeView, pixels: int) -> dict[str, Distance]:
    """All that so many pixels of y need is copied to scratch before any of them is written."""
    p = params(node)
    read, written = p.input_channels * WIDTH, p.output_channels * WIDTH
    count = p.output_height * p.output_width
    return {"x": group_distance(image_walk(p), count, pixels, read, written)}


def tables(node: NodeView) -> Tables:
    """The filter as the model has it; bias and requantisation per output channel."""
    return Tables(node["filter"].data, wide_bias(node), *narrow_multipliers(node))
