"""Sums of int8 at the scale of y, as in TensorFlow Lite Micro; LiteRT has no such sums.

Verified against that runtime's interpreter, byte for byte. Each sum begins with an addend of 0 that
is rescaled like an element, so that sums differ from real ones where the zero point of x is not 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from opsmith.ir import Array, Tensor
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier

HEADROOM = 19  # bits, of halves with 20


@dataclass(frozen=True, kw_only=True)
class ByteSums:
    """Params that requantise sums to elements of y."""

    x_zero_point: int
    y_zero_point: int
    multiplier: int  # Q31, of 2 x.scale / (2^20 y.scale)
    shift: int


def byte_sums(x: Tensor, y: Tensor) -> ByteSums:
    """Params that requantise sums of elements of x to elements of y."""
    multiplier, shift = quantize_multiplier(_ratio(x, y))
    return ByteSums(
        x_zero_point=x.zero_point, y_zero_point=y.zero_point, multiplier=multiplier, shift=shift
    )


def ratio_problems(x: Tensor, y: Tensor) -> Iterator[str]:
    """Sentence about scales whose ratio has no such multiplier."""
    if _ratio(x, y) >= 1:
        yield "x.scale / y.scale must be below 2^19"


def _ratio(x: Tensor, y: Tensor) -> float:
    return 2 * x.scale / ((1 << HEADROOM + 1) * y.scale)


def rescaled(p: ByteSums, sums: Array) -> Array:
    """Elements of y for sums of elements less their zero points, in numpy."""
    lifted = (sums.astype(np.int64) - p.x_zero_point << HEADROOM).astype(np.int32)
    y = multiply_by_quantized_multiplier(lifted.astype(np.int64), p.multiplier, p.shift)
    return np.clip(y + p.y_zero_point, -128, 127).astype(np.int8)
