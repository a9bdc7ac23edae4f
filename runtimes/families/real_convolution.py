"""Convolutions of float32: what the ops share that filter images, or rows.

They are bit-exact with LiteRT's reference kernels: products are summed one by one, in the order of
the filter, from zero, each rounded to float32 and not fused with its addition; then comes the bias.
Where sums leave what float32 holds and become NaN, cores differ in which NaN that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.families.convolution import FilterGeometry, filter_geometry, geometry
from runtimes.families.window import taps
from toolchain.ir import Array, Tensor
from toolchain.ir.types import f32
from toolchain.op.channel_affine import ChannelAffine
from toolchain.op.channels import constant_of
from toolchain.op.clamp import real_clamp_range, real_clamped
from toolchain.op.hooks import Affine, Hooks
from toolchain.op.view import NodeView

WIDTH = 4  # bytes of a float32
EXACT = 2.0**103  # addends below it leave the greatest float32 as it is


@dataclass(frozen=True, kw_only=True)
class Params(FilterGeometry):
    """The geometry and bounds of a convolution of float32."""

    real_min: float  # float32
    real_max: float
    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True)
class Tables:
    """Constants: the filter as the model has it, and a bias per output channel."""

    filter: NDArray[np.float32]
    bias: NDArray[np.float32]


def real_params(node: NodeView) -> Params:
    """The geometry and the activation of a node with x, filter and y."""
    low, high = real_clamp_range(node)
    return Params(**vars(filter_geometry(node)), real_min=low, real_max=high)


def real_tables(node: NodeView) -> Tables:
    """The filter and the bias; zeros where there is none, which change no sum."""
    return Tables(node["filter"].data, real_bias(node))


def real_bias(node: NodeView) -> NDArray[np.float32]:
    """One for each channel of y."""
    bias = node.get("bias")
    return np.zeros(node["y"].shape[-1], np.float32) if bias is None else bias.data


def bias_problems(node: NodeView) -> Iterator[str]:
    """A sentence about a bias of another size."""
    bias, channels = node.get("bias"), node["y"].shape[-1]
    if bias is not None and bias.elements != channels:
        yield f"bias has {bias.elements} elements instead of {channels}"


def pixels_under(node: NodeView, x: Array) -> Iterator[tuple[int, int, Array, Array]]:
    """For each tap of the filter: the pixels under it, and which of them lie in the image."""
    window, inside = geometry(node), np.ones((*x.shape[:3], 1), np.bool_)
    for (fy, fx, pixels), (_, _, there) in zip(taps(x, window), taps(inside, window), strict=True):
        yield fy, fx, pixels, there != 0


def finished(node: NodeView, sums: Array) -> Array:
    """The elements of y for these sums."""
    with np.errstate(over="ignore", invalid="ignore"):
        return real_clamped(node, sums + real_bias(node))


def real_weights(axis: int, weights: str = "filter") -> Hooks:
    """The hooks of an op whose weights have the channels of y along this axis."""
    return Hooks(affine=Affine(absorbs=partial(_taken_in, axis, weights)))


def _taken_in(
    axis: int, weights: str, node: NodeView, affine: ChannelAffine, exactly: bool
) -> Mapping[str, Tensor] | None:
    """The weights, whose channels of y are along an axis, and the bias with this taken in.

    transform/fold_affine.py says why that is exact for an addend after a bias of zeros.
    """
    data, bias = node[weights].data, real_bias(node)
    factor = np.ones_like(bias) if affine.factor is None else affine.factor
    addend = np.zeros_like(bias) if affine.addend is None else affine.addend
    exact = affine.factor is None and not bias.any() and bool((np.abs(addend) < EXACT).all())
    if exactly and not exact:
        return None
    along = [-1 if i == axis else 1 for i in range(data.ndim)]
    with np.errstate(over="ignore", invalid="ignore"):
        moved = data * factor.reshape(along), bias * factor + addend
    if not all(np.isfinite(each).all() for each in moved):
        return None
    kept = {} if affine.factor is None else {weights: constant_of(node[weights], moved[0], f32)}
    return {**kept, "bias": constant_of(node.get("bias"), moved[1], f32)}
