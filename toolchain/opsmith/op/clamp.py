"""Clamping of a node's output: a fused activation, and the bounds of a clamp.

Ranges are those of tensorflow/lite/kernels/kernel_util.cc.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

from opsmith.ir import Array, DType, Tensor
from opsmith.ir.types import i32, i64
from opsmith.op.declare import Attribute, ListOf, OpError
from opsmith.op.view import NodeView

ACTIVATIONS = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6")
# for ops with trait 'fuses_activation': TFLite's option, and the attributes that they have
FUSED = {"fused_activation_function": "activation"}
CLAMP_ATTRIBUTES = (
    Attribute("activation", str, default="NONE", choices=ACTIVATIONS),
    Attribute("clamp", ListOf(int), default=()),  # least and greatest element, once activated
)


def clamp_range(node: NodeView) -> tuple[int, int]:
    """(minimum, maximum) to which a node clamps y by its attributes `activation` and `clamp`."""
    return clamped(activated(node.attributes["activation"], node["y"]), node.attributes["clamp"])


def activated(activation: str, y: Tensor) -> tuple[int, int]:
    """(minimum, maximum) of an integer y's activation; int32 and int64 are unquantised."""
    if y.dtype in (i32, i64):
        return integer_activation_range(activation, y.dtype)
    return activation_range(activation, y)


_REAL_RANGES: dict[str, tuple[float, float | None]] = {
    "RELU": (0.0, None),
    "RELU6": (0.0, 6.0),
    "RELU_N1_TO_1": (-1.0, 1.0),
    "RELU_0_TO_1": (0.0, 1.0),
}


def integer_activation_range(activation: str, dtype: DType) -> tuple[int, int]:
    """(minimum, maximum) to which a fused activation clamps integers without quantisation."""
    low, high = dtype.limits
    ranges = {"NONE": (low, high), "RELU": (0, high), "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}
    return ranges[activation]


def activation_range(activation: str, output: Tensor) -> tuple[int, int]:
    """(minimum, maximum) to which a fused activation clamps a quantised output, within its type."""
    if activation == "NONE":
        return output.dtype.limits
    if activation not in _REAL_RANGES:
        raise OpError(f"fused activation {activation} is not supported")
    return _quantized_range(activation, output.dtype, output.scale, output.zero_point)


@lru_cache(maxsize=1024)  # called by each kernel of a node, twice by some
def _quantized_range(
    activation: str, dtype: DType, scale: float, zero_point: int
) -> tuple[int, int]:
    low, high = dtype.limits

    def quantize(real: float) -> int:
        with np.errstate(over="ignore"):
            ratio = float(np.float32(real) / np.float32(scale))
        if abs(ratio) >= 2**31:
            raise OpError(f"the scale {scale} is too small for activation {activation}")
        return zero_point + round_half_away(ratio)

    least, most = _REAL_RANGES[activation]
    return max(low, quantize(least)), high if most is None else min(high, quantize(most))


def round_half_away(x: float) -> int:
    """The nearest integer, ties away from zero (std::round)."""
    return math.floor(x + 0.5) if x >= 0 else math.ceil(x - 0.5)


def bounds(node: NodeView) -> dict[str, Any]:
    """Range that a node clamps y to, as members `activation_min` and `activation_max` of Params."""
    low, high = clamp_range(node)
    return {"activation_min": low, "activation_max": high}


def real_clamp_range(node: NodeView) -> tuple[float, float]:
    """(minimum, maximum) to which a node clamps a float32 y by its activation: finite numbers.

    As in TFLite's kernels, infinities become the greatest numbers even without an activation.
    """
    most = float(np.finfo(np.float32).max)
    ends = {"NONE": (-most, most), "RELU": (0.0, most), "RELU6": (0.0, 6.0)}
    return {**ends, "RELU_N1_TO_1": (-1.0, 1.0)}[node.attributes["activation"]]


def real_clamped(node: NodeView, y: Array) -> Array:
    """Elements of a float32 y clamped by the node's activation; NaN stays."""
    low, high = (np.float32(end) for end in real_clamp_range(node))
    found: Array = np.where(y < low, low, np.where(y > high, high, y))
    return found


def clamped(range_: tuple[int, int], clamp: tuple[int, ...]) -> tuple[int, int]:
    """Bounds of values that are clamped to a range, and then to `clamp` if that is not empty."""
    if not clamp:
        return range_
    low, high = (min(max(end, clamp[0]), clamp[1]) for end in range_)
    return low, high
