"""Layers of float32 by int8 weights for the DSP extension: constants and refused weights."""

from opsmith.op import *
from runtimes.cmsis.dsp_code import EIGHT_CHANNELS
from runtimes.cmsis.dsp_packing import (
    BEYOND_24_BITS,
    ROWS,
    UNPAIRED,
    added_by_rows,
    paired,
    unpaired,
)
from runtimes.families.dynamic_range import WeightRows, real_channels

# bytes of functions that kernels and layers share
QUANTIZED = {"fpu::quantized_by_range": 1336}
FOUR_REAL_PIXELS = QUANTIZED | {"dsp::four_real_pixels": 1136}
ROW_OF_REALS = QUANTIZED | EIGHT_CHANNELS | {"dsp::row_of_reals": 510}
SYMMETRIC, ASYMMETRIC = 127, 255  # the largest magnitudes of elements without their zero point


def largest_scale(rows: WeightRows) -> float:
    """Scale of x up to which no output can be infinite; 0 where no scale is small enough."""
    most = float(np.finfo(np.float32).max)
    of_sums = float(rows.scale.max(initial=0)) * 2**31
    room = most / 4 - float(np.abs(rows.bias).max(initial=0))
    finite = room > 0 and of_sums <= most  # also before the scale of x
    return float(np.float32(min(room / max(of_sums, 1.0), 1e30))) if finite else 0.0


def refused_weights(rows: Array, *, asymmetric: bool) -> Refused | None:
    """Reason against weights for four_real_pixels() that fit in no pairs, or where 256 times the
    sums of a pair's second channel do not fit 32 bits.
    """
    if unpaired(rows).any():
        return UNPAIRED
    b = rows[1::2].astype(np.int64)
    above, below = np.maximum(b, 0).sum(axis=1), np.maximum(-b, 0).sum(axis=1)
    widest = ASYMMETRIC * np.maximum(above, below) if asymmetric else SYMMETRIC * (above + below)
    return BEYOND_24_BITS if np.any(widest >= 1 << 23) else None


def by_rows(rows: WeightRows, part: int) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """Weights in pairs by blocks of eight channels, in the order of eight_sums() of dsp_rows.h, and
    rows of struct RealRow.
    """
    added = added_by_rows(rows.weights, part).astype(np.int32)
    return paired(rows.weights, ROWS, by_pair=True), real_channels(rows, ROWS, added)
