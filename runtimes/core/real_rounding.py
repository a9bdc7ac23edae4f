"""Rounding of floats to integers beyond floor and ceil: real_rounding.h in numpy."""

import numpy as np

from opsmith.ir import Array
from runtimes.core.formula import in_core


@in_core
def rounded_to_even(x: Array) -> Array:
    """Nearest integer, ties to even; values between -1/2 and -0 become +0."""
    below = np.floor(x)
    rest = x - below
    down = (rest < 0.5) | ((rest == 0.5) & (np.trunc(below / 2) * 2 == below))
    return np.where(down, below, below + np.float32(1))
