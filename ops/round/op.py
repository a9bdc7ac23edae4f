"""Round: the nearest integer, ties to even, as a float."""

from __future__ import annotations

import numpy as np

from opsmith.op import Array, Rename
from opsmith.runtimes.families.unary import floats, unary


def to_even(x: Array) -> Array:
    """As LiteRT has it, which gives no -0 but for -0."""
    below = np.floor(x)
    rest = x - below
    down = (rest < 0.5) | ((rest == 0.5) & (np.trunc(below / 2) * 2 == below))
    return np.where(down, below, below + np.float32(1))


OP = unary(
    "round",
    Rename("tflite.ROUND"),
    variants=(floats(to_even, cost=24.0),),
)
