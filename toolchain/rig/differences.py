"""Numerical differences between two arrays of one type."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toolchain.ir import Array


@dataclass(frozen=True)
class Difference:
    """How values differ from a reference. NaN equals NaN, and -0 equals 0."""

    elements: int
    differing: int
    beyond: int  # the tolerance
    max_abs: float  # of finite elements
    max_rel: float  # part of the larger of both; of finite elements
    not_finite: int  # NaN and infinities among the values
    right_not_finite: int  # and among the right ones


def difference(values: Array, right: Array, atol: float, rtol: float) -> Difference:
    """Compare values with right ones; beyond tolerance: |value - right| > atol + rtol * |right|."""
    one, other = values.reshape(-1), right.reshape(-1)
    finite = np.isfinite(one) & np.isfinite(other)
    with np.errstate(all="ignore"):
        equal = (one == other) | (np.isnan(one) & np.isnan(other))
        distance = np.where(equal, 0.0, _distance(one, other))
        size = np.maximum(_size(one), _size(other))
        beyond = ~equal & ~(finite & (distance <= atol + rtol * _size(other)))
        relative = np.where(equal | (size == 0), 0.0, distance / np.where(size == 0, 1.0, size))
    return Difference(
        elements=one.size,
        differing=int(np.count_nonzero(~equal)),
        beyond=int(np.count_nonzero(beyond)),
        max_abs=float(np.max(distance, where=finite, initial=0.0)),
        max_rel=float(np.max(relative, where=finite, initial=0.0)),
        not_finite=int(np.count_nonzero(~np.isfinite(one))),
        right_not_finite=int(np.count_nonzero(~np.isfinite(other))),
    )


def _distance(one: Array, other: Array) -> Array:
    """Return |one - other|; for integers of any width exact until it becomes a float."""
    if one.dtype.kind in "iu":
        low, high = np.minimum(one, other), np.maximum(one, other)
        apart: Array = high.astype(np.uint64) - low.astype(np.uint64)  # modulo 2**64, so exact
        return apart.astype(np.float64)
    found: Array = np.abs(one.astype(np.float64) - other.astype(np.float64))
    return found


def _size(values: Array) -> Array:
    found: Array = np.abs(values.astype(np.float64))
    return found
