"""Sums of int8 at the scale of y, as TensorFlow Lite Micro has them; LiteRT has none.

Verified against that runtime's interpreter, byte for byte. Each sum begins with an addend of 0 as
if it were quantised, which gives other sums than of reals where the zero point of x is not 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from opsmith.ir import Array, Tensor
from opsmith.runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier

HEADROOM = 19  # bits, of halves with 20


@dataclass(frozen=True, kw_only=True)
class ByteSums:
    """Requantisation of sums to elements of y."""

    x_zero_point: int
    y_zero_point: int
    multiplier: int  # Q31, of 2 x.scale / (2^20 y.scale)
    shift: int


def byte_sums(x: Tensor, y: Tensor) -> ByteSums:
    """The params for sums of elements of x."""
    multiplier, shift = quantize_multiplier(_ratio(x, y))
    return ByteSums(
        x_zero_point=x.zero_point, y_zero_point=y.zero_point, multiplier=multiplier, shift=shift
    )


def ratio_problems(x: Tensor, y: Tensor) -> Iterator[str]:
    """A sentence about scales that have no such multiplier."""
    if _ratio(x, y) >= 1:
        yield "x.scale / y.scale must be below 2^19"


def _ratio(x: Tensor, y: Tensor) -> float:
    return 2 * x.scale / ((1 << HEADROOM + 1) * y.scale)


def rescaled(p: ByteSums, sums: Array) -> Array:
    """The elements of y, of sums of elements without their zero points."""
    lifted = (sums.astype(np.int64) - p.x_zero_point << HEADROOM).astype(np.int32)
    y = multiply_by_quantized_multiplier(lifted.astype(np.int64), p.multiplier, p.shift)
    return np.clip(y + p.y_zero_point, -128, 127).astype(np.int8)
