"""Functions of int16 as straight lines between every 128th element, in tables as LiteRT makes.

`lookup::interpolated` of runtimes/families/lookup.h reads such a table.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from opsmith.ir import Array
from opsmith.ir.types import i16

STEPS = 512
Real = np.floating[Any]  # float32 or float64


def straight_lines(
    function: Callable[[Array], Array], low: Real, high: Real, least: Real, greatest: Real
) -> Array:
    """Table [513] of a function from [low, high] to [least, greatest], in the precision of these
    bounds.

    Each entry but the last is lowered by half of the amount by which a straight line is too high
    midway.
    """
    real = type(low)
    step = (high - low) / real(STEPS)
    factor = real(2**16) / (greatest - least)
    starts = low + np.arange(STEPS + 1, dtype=real) * step
    with np.errstate(over="ignore", invalid="ignore"):
        values = function(starts) * factor
        middles = nearest(function(starts[:-1] + step / real(2)) * factor)
        samples = nearest(values)
        bias = nearest((nearest((values[1:] + samples[:-1]) / 2) - middles) / 2)
        samples[:-1] -= bias
        samples[-1] = nearest(function(np.array([high])) * factor)[0]
    return np.asarray(np.clip(np.nan_to_num(samples, nan=0), *i16.limits), np.int16)


def nearest(x: Array) -> Array:
    """Nearest integers, ties away from zero, in the precision of x."""
    wide = x.astype(np.float64)
    return np.asarray(np.trunc(wide + np.copysign(0.5, wide)), x.dtype)


def interpolated(table: Array, x: Array) -> Array:
    """Table values at int16 elements, interpolated between entries."""
    at, within = 256 + (x >> 7), x.astype(np.int64) & 127
    slope = (table[at + 1] - table[at]).astype(np.int64)  # wraps at 16 bits
    return np.asarray(table[at] + ((slope * within + 64) >> 7), np.int16)
