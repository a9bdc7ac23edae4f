"""Positions at which ONNX's linear Resize samples an image: exact fractions of pixels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PLACES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
MOST_PARTS = 1 << 22  # parts of a pixel; products with bytes fit into 32 bits


@dataclass(frozen=True)
class ExactPlaces:
    """Positions of the pixels of y along an axis of x: between pixels `low` and `high`, at `beyond`
    / `one` of the distance from the first.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    beyond: NDArray[np.int64]
    one: int


def linear_places(kind: str, before: int, after: int) -> ExactPlaces:
    """Positions along an axis, with `before` pixels in x and `after` in y, by a rule of PLACES."""
    i = np.arange(after, dtype=np.int64)
    at, one = i * before, after
    if kind == "align_corners" or (kind == "pytorch_half_pixel" and after == 1):
        at, one = i * (before - 1), max(after - 1, 1)
    elif kind != "asymmetric":
        at, one = (2 * i + 1) * before - after, 2 * after
    at = np.clip(at, 0, (before - 1) * one)
    low, beyond = np.divmod(at, one)
    factor = int(np.gcd.reduce(np.append(beyond, one)))
    high = np.minimum(low + 1, before - 1)
    return ExactPlaces(low, high, beyond // factor, one // factor)
