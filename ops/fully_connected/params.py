"""What the kernels of FullyConnected are given: the sizes and the constants of a node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import NodeView
from toolchain.op.clamp import clamp_range
from toolchain.op.per_channel import bias_table


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time."""

    rows: int
    depth: int  # elements of a row, and weights of an output channel
    channels: int  # output channels
    per_channel: bool  # one scale for each output channel, not one for all
    input_zero_point: int
    weights_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class Tables:
    """Constants."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int32]  # [channels]
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def weights_zero_point(node: NodeView) -> int:
    quantization = node["weights"].quantization
    assert quantization is not None
    return 0 if quantization.per_channel else quantization.zero_points[0]


def scales(node: NodeView) -> NDArray[np.float64]:
    quantization = node["weights"].quantization
    assert quantization is not None
    return node["x"].scale * np.array(quantization.scales, np.float64) / node["y"].scale


def params(node: NodeView) -> Params:
    """The sizes and the zero points of this node."""
    x, weights, y = node["x"], node["weights"], node["y"]
    channels, depth = weights.shape
    low, high = clamp_range(node)
    return Params(
        rows=x.elements // depth,
        depth=depth,
        channels=channels,
        per_channel=len(scales(node)) > 1,
        input_zero_point=x.zero_point,
        weights_zero_point=weights_zero_point(node),
        output_zero_point=y.zero_point,
        activation_min=low,
        activation_max=high,
    )


def tables(node: NodeView) -> Tables:
    """The weights as the model has them; bias; requantisation in real numbers."""
    weights = node["weights"]
    return Tables(weights.data, bias_table(node, weights.shape[0]), scales(node))


def requantized(
    p: Params, scale: NDArray[np.float64], sums: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The elements of y for [any][channels] sums; a larger sum never gives a smaller element."""
    scaled = sums.astype(np.float64) * scale
    whole = np.trunc(scaled)
    # exact; scaled + 0.5 is not
    rounded = whole + np.sign(scaled) * (np.abs(scaled - whole) >= 0.5)
    y = np.clip(rounded + p.output_zero_point, p.activation_min, p.activation_max)
    return np.asarray(y, np.int64)
