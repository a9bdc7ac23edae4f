"""Dot products of float32 in four lanes: lane_dot.h in numpy."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
LANES = 4


def lane_dot(start: Floats | np.float32, a: Floats, b: Floats) -> Floats:
    """`start` plus the products of a and b along their last axis."""
    with np.errstate(all="ignore"):
        return _in_order(start, a * b)


def paired_lane_dot(a: Floats, b: Floats) -> Floats:
    """Dot products of a and b along their last axis, with the four lanes added in pairs."""
    with np.errstate(all="ignore"):
        products = a * b
        first, second, third, fourth = _lanes(products)
        return _with_rest((first + third) + (second + fourth), products)


def _in_order(start: Floats | np.float32, terms: Floats) -> Floats:
    first, second, third, fourth = _lanes(terms)
    return _with_rest(start + (((first + second) + third) + fourth), terms)


def _lanes(terms: Floats) -> Floats:
    """Four sums of all whole fours of terms; the axis of lanes comes first."""
    lanes = np.zeros((*terms.shape[:-1], LANES), np.float32)
    for i in range(0, _whole(terms), LANES):
        lanes = lanes + terms[..., i : i + LANES]
    return np.moveaxis(lanes, -1, 0)


def _with_rest(total: Floats, terms: Floats) -> Floats:
    for i in range(_whole(terms), terms.shape[-1]):
        total = total + terms[..., i]
    return np.asarray(total, np.float32)


def _whole(terms: Floats) -> int:
    return int(terms.shape[-1]) // LANES * LANES
