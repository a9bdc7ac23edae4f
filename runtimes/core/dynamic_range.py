"""Floats quantised at run time, each row by its own range: dynamic_range.h in numpy."""

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array

Floats = NDArray[np.float32]


def quantised(rows: Floats, asymmetric: bool) -> tuple[Array, Floats]:
    """Elements of [rows, …] less their zero point, as int64, and the scale of each row.

    NaN does not count for the range of its row, and becomes the least element.
    """
    if not asymmetric:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return _symmetric(rows)
    elements, zero_points, scales = by_range(rows)
    return elements - zero_points, scales


def by_range(rows: Floats) -> tuple[Array, Array, Floats]:
    """Rows quantised between their least and greatest element: elements, zero points and scales."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return _asymmetric(rows)


def _symmetric(rows: Floats) -> tuple[Array, Floats]:
    largest = np.fmax.reduce(np.abs(rows), axis=1, keepdims=True, initial=np.float32(0))
    zero = largest == 0
    inverse = np.where(zero, np.float32(0), np.float32(127) / largest)
    scale = np.where(zero, np.float32(1), largest / np.float32(127))
    return np.clip(_nearest(rows * inverse), -127, 127), scale


def _asymmetric(rows: Floats) -> tuple[Array, Array, Floats]:
    low, high = (
        end.reduce(rows, axis=1, keepdims=True, initial=np.float32(0)) for end in (np.fmin, np.fmax)
    )
    zero = low == high
    step = np.where(zero, 1.0, (high - low).astype(np.float64) / 255.0)
    of_low, of_high = low / step, high / step
    exact = np.where(128 + np.abs(of_low) < 127 + np.abs(of_high), -128 - of_low, 127 - of_high)
    zero_point = np.where(zero, 0, np.clip(_nearest(exact), -128, 127))
    scale = step.astype(np.float32)
    inverse = np.where(scale == 0, 0, 1 / scale.astype(np.float64)).astype(np.float32)
    return np.clip(_nearest(rows * inverse) + zero_point, -128, 127), zero_point, scale


def _nearest(x: Array) -> Array:
    """Nearest integers, ties away from zero; infinities and NaN become less than all elements."""
    wide = np.where(np.isfinite(x), x, -256.0).astype(np.float64)
    return np.asarray(np.trunc(wide + np.copysign(0.5, wide)), np.int64)
