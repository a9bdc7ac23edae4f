"""A new quantisation for every element, clamped: what QUANTIZE and the ReLUs do to integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toolchain.ir import Array
from toolchain.op.arithmetic import (
    activation_range,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
)
from toolchain.op.view import NodeView


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time."""

    elements: int
    x_zero_point: int
    y_zero_point: int
    multiplier: int  # Q31, of x.scale / y.scale
    shift: int
    y_min: int
    y_max: int


def requantize_params(node: NodeView, ratio: float, activation: str = "NONE") -> Params:
    """The Params of a node from x to y; `ratio` is x.scale / y.scale, as TFLite rounds it there."""
    x, y = node["x"], node["y"]
    multiplier, shift = quantize_multiplier(ratio)
    low, high = activation_range(activation, y)
    return Params(x.elements, x.zero_point, y.zero_point, multiplier, shift, low, high)


def float_ratio(node: NodeView) -> float:
    """x.scale / y.scale, rounded to single precision."""
    with np.errstate(over="ignore"):
        return float(np.float32(node["x"].scale) / np.float32(node["y"].scale))


def requantize(p: Params, node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The new elements in numpy."""
    lifted = inputs[0].astype(np.int64) - p.x_zero_point
    y = multiply_by_quantized_multiplier(lifted, p.multiplier, p.shift) + p.y_zero_point
    return [np.clip(y, p.y_min, p.y_max).astype(node["y"].dtype.numpy)]
