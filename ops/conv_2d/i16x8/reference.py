"""Conv2D of int16 by reference.h, for every node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.narrow_requantization import narrow_multipliers
from runtimes.families.convolution import filter_macs, pixel_overlap
from toolchain.op import Kernel, NodeView, every_node
from toolchain.op.cost import instructions

from .params import Params, params


@dataclass(frozen=True)
class Tables:
    """Constants, one entry per output channel but for the filter."""

    filter: NDArray[np.int8]  # [output_channels][filter_height][filter_width][filter_channels]
    bias: NDArray[np.int64]
    multiplier: NDArray[np.int16]  # Q15
    shift: NDArray[np.int8]  # to the right, at least 8


def tables(node: NodeView) -> Tables:
    """The filter as the model has it; bias and requantisation per output channel."""
    return Tables(node["filter"].data, node["bias"].data, *narrow_multipliers(node))


REFERENCE = Kernel(
    "reference",
    Params,
    every_node(params, tables, pixel_overlap),
    Tables,
    cost=instructions(filter_macs, 7.5, 20.0),
)
