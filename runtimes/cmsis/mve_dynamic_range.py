"""Layers of float32 by int8 weights on Helium: constants of channels, and refused constants."""

import numpy as np
from numpy.typing import NDArray

from opsmith.op import NodeView, Refused
from opsmith.op.clamp import real_clamp_range
from opsmith.runtimes.cmsis.dsp_dynamic_range import largest_scale
from opsmith.runtimes.core.per_channel import bias_of
from opsmith.runtimes.families.dynamic_range import weight_scales
from opsmith.runtimes.families.layer import Layer

FOUR = 4  # channels of a vector
LEAST = 2.0**-100  # of products and biases: neither they nor their sums are subnormal
# Bytes of functions that kernels and layers share.
RANGED = {"mve::ranged": 556, "mve::quantize": 340}
REALS = {"mve::fast_reals": 242, "mve::slow_reals": 208}


def refused_constants(layer: Layer, node: NodeView) -> Refused | None:
    """Reason against scales or biases that make vectors take numbers for zeros."""
    bias = np.abs(np.asarray(bias_of(node), np.float32))
    scale, used = _scales(layer, node)
    if np.any(scale[used] < LEAST) or np.any((bias > 0) & (bias < LEAST)):
        return Refused("a scale or bias is so small that vectors take products for zeros")
    return None


def real_fours(layer: Layer, node: NodeView) -> NDArray[np.int32]:
    """Rows of struct RealFour; zeros fill the last one."""
    scale, _ = _scales(layer, node)
    bias = np.asarray(bias_of(node), np.float32)
    sums = layer.rows(node).sum(axis=1, dtype=np.int32)
    columns = np.stack([scale.view(np.int32), bias.view(np.int32), sums])
    filled = np.pad(columns, ((0, 0), (0, -len(sums) % FOUR)))
    return np.ascontiguousarray(filled.reshape(3, -1, FOUR).swapaxes(0, 1).reshape(-1, 3 * FOUR))


def real_bounds(layer: Layer, node: NodeView) -> NDArray[np.float32]:
    """Struct RealBounds of a layer whose activation keeps NaN."""
    return bounds_of_reals(layer, node, real_clamp_range(node))


def bounds_of_reals(
    layer: Layer, node: NodeView, bounds: tuple[float, float]
) -> NDArray[np.float32]:
    """Struct RealBounds: bounds of y, and of scales of x."""
    scale, used = _scales(layer, node)
    least = LEAST / float(scale[used].min(initial=1))
    values = *bounds, least, largest_scale(layer, node)
    return np.array(values, np.float32)


def _scales(layer: Layer, node: NodeView) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Scale of the weights of each channel, and which of them have weights that are not zero."""
    scale = np.ascontiguousarray(weight_scales(node[layer.weights], node["y"].shape[-1]))
    return scale, np.any(layer.rows(node) != 0, axis=1)
