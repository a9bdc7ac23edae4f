"""Bytes in another quantisation, in single precision: TFLite's ConcatenationWithScaling."""

from collections.abc import Iterator

import numpy as np

from opsmith.ir import Array, Tensor
from runtimes.core.straight_lines import nearest

LARGEST = 2.0**31  # no int32, to which LiteRT converts without a check


def rescaled_bytes(elements: Array, x: Tensor, y: Tensor) -> Array:
    """Elements of x converted to the quantisation of y."""
    found = nearest(_units(elements, x, y)).astype(np.int64) + y.zero_point
    return np.asarray(np.clip(found, *y.dtype.limits), y.dtype.numpy)


def rescaling_problems(x: Tensor, y: Tensor) -> Iterator[str]:
    """Sentence where LiteRT's result is undefined."""
    if not (np.abs(_units(np.arange(256), x, y)) < LARGEST).all():
        yield f"from scale {x.scale:.6g} to {y.scale:.6g}, elements of '{x.name}' leave 32 bits"


def _units(elements: Array, x: Tensor, y: Tensor) -> Array:
    """Values of elements in units of y's scale, without its zero point."""
    with np.errstate(all="ignore"):
        scale = np.float32(x.scale) * (np.float32(1) / np.float32(y.scale))
        bias = np.float32(-x.zero_point) * scale
        return np.asarray(elements.astype(np.float32) * scale + bias)
