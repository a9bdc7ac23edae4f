"""FullyConnected of int8 by reference.h, for every node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.families.matmul import macs, row_overlap, scales
from toolchain.op import Kernel, NodeView, every_node
from toolchain.op.cost import instructions

from .params import ScaledParams, bias_of, scaled_params, weights_zero_point


@dataclass(frozen=True, kw_only=True)
class Params(ScaledParams):
    """The sizes, the bounds of y, and the zero points."""

    input_zero_point: int
    weights_zero_point: int


@dataclass(frozen=True)
class Tables:
    """Constants, the weights as the model has them."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int32]  # [channels]
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def params(node: NodeView) -> Params:
    """The params of a node."""
    return Params(
        **vars(scaled_params(node)),
        input_zero_point=node["x"].zero_point,
        weights_zero_point=weights_zero_point(node),
    )


def tables(node: NodeView) -> Tables:
    """The constants of a node."""
    return Tables(node["weights"].data, bias_of(node), scales(node))


REFERENCE = Kernel(
    "reference",
    Params,
    every_node(params, tables, row_overlap),
    Tables,
    cost=instructions(macs, 6.8, 170.0),
)
