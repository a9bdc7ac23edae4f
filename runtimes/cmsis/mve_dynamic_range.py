"""Layers of float32 by int8 weights on Helium: constants of channels, and refused constants."""

from opsmith.op import *
from runtimes.cmsis.dsp_dynamic_range import largest_scale
from runtimes.families.dynamic_range import WeightRows, real_channels

FOUR = 4  # channels of a vector
UNBOUNDED = (-np.inf, np.inf)  # bounds of outputs without an activation
LEAST = 2.0**-100  # of products and biases: neither they nor their sums are subnormal
# Bytes of functions that kernels and layers share.
RANGED = {"mve::ranged": 556, "mve::quantize": 340}
REALS = {"mve::fast_reals": 242, "mve::slow_reals": 208}


def refused_constants(rows: WeightRows) -> Refused | None:
    """Reason against scales or biases that make vectors take numbers for zeros."""
    bias = np.abs(rows.bias)
    if np.any(_used_scales(rows) < LEAST) or np.any((bias > 0) & (bias < LEAST)):
        return Refused("a scale or bias is so small that vectors take products for zeros")
    return None


def real_fours(rows: WeightRows) -> NDArray[np.int32]:
    """Rows of struct RealFour; zeros fill the last one."""
    columns = real_channels(rows, FOUR)
    return np.ascontiguousarray(columns.reshape(-1, FOUR, 3).swapaxes(1, 2).reshape(-1, 3 * FOUR))


def real_bounds(rows: WeightRows, bounds: tuple[float, float]) -> NDArray[np.float32]:
    """Struct RealBounds: bounds of y, and of scales of x."""
    least = LEAST / float(_used_scales(rows).min(initial=1))
    return np.array((*bounds, least, largest_scale(rows)), np.float32)


def _used_scales(rows: WeightRows) -> NDArray[np.float32]:
    """Scales of the rows that have weights other than zero."""
    return rows.scale[np.any(rows.weights != 0, axis=1)]
