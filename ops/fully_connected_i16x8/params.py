"""What the kernels of FullyConnectedI16x8 are given: the sizes and the constants of a node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import NodeView
from toolchain.op.clamp import clamp_range
from toolchain.op.narrow_requantization import wide_bias

WIDTH = 2  # bytes of an element of x and y


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time."""

    rows: int
    depth: int  # elements of a row, and weights of an output channel
    channels: int  # output channels
    per_channel: bool  # one scale for each output channel, not one for all
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class Tables:
    """Constants."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int64]  # [channels]
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def params(node: NodeView) -> Params:
    """The sizes and the activation."""
    channels, depth = node["weights"].shape
    rows = node["x"].elements // depth
    return Params(rows, depth, channels, len(scales(node)) > 1, *clamp_range(node))


def tables(node: NodeView) -> Tables:
    """The weights as the model has them; bias; requantisation in real numbers."""
    return Tables(node["weights"].data, wide_bias(node), scales(node))


def scales(node: NodeView) -> NDArray[np.float64]:
    """x.scale * weights.scale / y.scale: of each channel, or one for all."""
    quantization = node["weights"].quantization
    assert quantization is not None
    return node["x"].scale * np.array(quantization.scales, np.float64) / node["y"].scale


def macs(node: NodeView) -> int:
    """One for every weight and row of x."""
    return node["y"].elements * node["weights"].shape[1]
