"""Conv2D of int8 by reference.h, for every node."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.core.per_channel import channel_multipliers
from runtimes.families.convolution import filter_macs, pixel_overlap
from toolchain.op import Kernel, NodeView, every_node
from toolchain.op.cost import instructions

from .params import Params, params

BLOCK = 16  # channels that reference.h computes before it writes any of them


@dataclass(frozen=True)
class Tables:
    """Constants, one entry per output channel but for the filter."""

    filter: NDArray[np.int8]  # [output_channels][filter_height][filter_width][filter_channels]
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int8]  # power of two, left is positive


def tables(node: NodeView) -> Tables:
    """The filter as the model has it; bias and requantisation per output channel."""
    return Tables(node["filter"].data, node["bias"].data, *channel_multipliers(node))


REFERENCE = Kernel(
    "reference",
    Params,
    every_node(params, tables, partial(pixel_overlap, block=BLOCK)),
    Tables,
    cost=instructions(filter_macs, 8.0, 20.0),
)
