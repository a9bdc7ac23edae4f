"""The integer arithmetic of TFLite's reference kernels, in numpy and at build time.

Sources: tensorflow/lite/kernels/internal/quantization_util.cc (multipliers), common.h (Q31 double
rounding) and kernel_util.cc (activation ranges). `runtimes/core/fixed_point.h` is the same in C++.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from toolchain.ir import Array, DType, Tensor
from toolchain.op.declare import OpError

ACTIVATIONS = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6")


def quantize_multiplier(real: float) -> tuple[int, int]:
    """(m, shift) with real ≈ m * 2^(shift - 31) and m in [2^30, 2^31), or m = 0."""
    if real == 0.0:
        return 0, 0
    if not (math.isfinite(real) and real > 0):
        raise OpError(f"the scale ratio {real} is not a positive number")
    fraction, shift = math.frexp(real)
    multiplier = math.floor(fraction * (1 << 31) + 0.5)
    if multiplier == 1 << 31:
        multiplier, shift = multiplier // 2, shift + 1
    if shift < -31:
        return 0, 0
    if shift > 30:
        raise OpError(f"the scale ratio {real} is too large")
    return multiplier, shift


def rounding_divide_by_pot(x: NDArray[np.int64], exponent: Array | int) -> NDArray[np.int64]:
    """x / 2^exponent, rounded to nearest, ties away from zero."""
    mask = (np.int64(1) << np.asarray(exponent, np.int64)) - 1
    threshold = (mask >> 1) + (x < 0)
    return (x >> exponent) + ((x & mask) > threshold)


def doubling_high_mul(a: NDArray[np.int64], b: Array | int) -> NDArray[np.int64]:
    """round(a * b / 2^31) of 32-bit values, ties up; b is not -2^31."""
    found: NDArray[np.int64] = (a * np.asarray(b, np.int64) + (1 << 30)) >> 31
    return found


def multiply_by_quantized_multiplier(
    x: NDArray[np.int64], multiplier: Array | int, shift: Array | int
) -> NDArray[np.int64]:
    """x * multiplier * 2^(shift - 31) with TFLite's double rounding; x are 32-bit values."""
    shift = np.asarray(shift, np.int64)
    left, right = np.maximum(shift, 0), np.maximum(-shift, 0)
    shifted = (x << left).astype(np.int32).astype(np.int64)  # wraps as int32 does on the target
    return rounding_divide_by_pot(doubling_high_mul(shifted, multiplier), right)


def round_half_away(x: float) -> int:
    """The nearest integer, ties away from zero (std::round)."""
    return math.floor(x + 0.5) if x >= 0 else math.ceil(x - 0.5)


def integer_activation_range(activation: str, dtype: DType) -> tuple[int, int]:
    """(minimum, maximum) that a fused activation clamps integers to that have no quantisation."""
    low, high = dtype.limits
    ranges = {"NONE": (low, high), "RELU": (0, high), "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}
    return ranges[activation]


def activation_range(activation: str, output: Tensor) -> tuple[int, int]:
    """(minimum, maximum) that a fused activation clamps a quantised output to, within its type."""
    low, high = output.dtype.limits

    def quantize(real: float) -> int:
        with np.errstate(over="ignore"):
            ratio = float(np.float32(real) / np.float32(output.scale))
        if abs(ratio) >= 2**31:
            raise OpError(f"the scale {output.scale} is too small for activation {activation}")
        return output.zero_point + round_half_away(ratio)

    match activation:
        case "NONE":
            return low, high
        case "RELU":
            return max(low, quantize(0.0)), high
        case "RELU6":
            return max(low, quantize(0.0)), min(high, quantize(6.0))
        case "RELU_N1_TO_1":
            return max(low, quantize(-1.0)), min(high, quantize(1.0))
        case "RELU_0_TO_1":
            return max(low, quantize(0.0)), min(high, quantize(1.0))
    raise OpError(f"fused activation {activation} is not supported")
