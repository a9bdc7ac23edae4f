"""FullyConnected of int16 by reference.h, for every node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.narrow_requantization import wide_bias
from runtimes.families.matmul import Sizes, macs, row_overlap, scales, sizes
from toolchain.op import Kernel, NodeView, every_node
from toolchain.op.clamp import clamp_range
from toolchain.op.cost import instructions


@dataclass(frozen=True, kw_only=True)
class Params(Sizes):
    """The sizes, the bounds of y, and how many scales there are."""

    per_channel: bool  # one scale for each output channel, not one for all
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class Tables:
    """Constants, the weights as the model has them."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int64]  # [channels]
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def params(node: NodeView) -> Params:
    """The params of a node."""
    low, high = clamp_range(node)
    per_channel = len(scales(node)) > 1
    return Params(
        **vars(sizes(node)), per_channel=per_channel, activation_min=low, activation_max=high
    )


def tables(node: NodeView) -> Tables:
    """The constants of a node."""
    return Tables(node["weights"].data, wide_bias(node), scales(node))


REFERENCE = Kernel(
    "reference",
    Params,
    every_node(params, tables, row_overlap),
    Tables,
    cost=instructions(macs, 8.0, 170.0),
)
