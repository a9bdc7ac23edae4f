"""DepthwiseConv2D of int16 by reference.h, for every node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.narrow_requantization import narrow_multipliers, wide_bias
from runtimes.families.convolution import pixel_overlap
from runtimes.families.depthwise import depthwise_macs
from toolchain.op import Kernel, NodeView, every_node
from toolchain.op.cost import instructions

from .params import Params, params


@dataclass(frozen=True)
class Tables:
    """Constants, one entry per output channel but for the filter."""

    filter: NDArray[np.int8]  # [filter_height][filter_width][output channels]
    bias: NDArray[np.int64]
    multiplier: NDArray[np.int16]  # Q15
    shift: NDArray[np.int8]  # to the right, at least 8


def tables(node: NodeView) -> Tables:
    """The filter as the model has it; bias and requantisation per output channel."""
    return Tables(node["filter"].data, wide_bias(node), *narrow_multipliers(node))


REFERENCE = Kernel(
    "reference",
    Params,
    every_node(params, tables, pixel_overlap),
    Tables,
    cost=instructions(depthwise_macs, 15.0, 60.0),
)
