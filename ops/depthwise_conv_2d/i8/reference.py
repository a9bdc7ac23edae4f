"""DepthwiseConv2D of int8 by reference.h, for every node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.per_channel import bias_table, channel_multipliers
from runtimes.families.convolution import geometry
from runtimes.families.depthwise import depthwise_macs, multiplier
from runtimes.families.window import image_walk
from toolchain.op import Distance, Kernel, NodeView, every_node
from toolchain.op.cost import instructions
from toolchain.op.overlap import channel_distance

from .params import Params, params


@dataclass(frozen=True)
class Tables:
    """Constants, one entry per output channel but for the filter."""

    filter: NDArray[np.int8]  # [filter_height][filter_width][output channels]
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int8]  # power of two, left is positive


def tables(node: NodeView) -> Tables:
    """The filter as the model has it; bias and requantisation per output channel."""
    bias = bias_table(node, node["filter"].shape[3])
    return Tables(node["filter"].data, bias, *channel_multipliers(node))


def overlap(node: NodeView) -> dict[str, Distance]:
    """A channel of y needs one channel of x, and none after it was written."""
    walk = image_walk(geometry(node))
    return {"x": channel_distance(walk, node["x"].shape[3], multiplier(node))}


REFERENCE = Kernel(
    "reference",
    Params,
    every_node(params, tables, overlap),
    Tables,
    cost=instructions(depthwise_macs, 15.0, 15.0),
)
