"""What the kernels of Conv2D for int16 share: the params of a node, and how large its sums are."""

from __future__ import annotations

from dataclasses import dataclass

from runtimes.core.narrow_requantization import narrow_table
from runtimes.families.convolution import FilterGeometry, filter_geometry
from toolchain.op import Array, NodeView
from toolchain.op.clamp import clamp_range


@dataclass(frozen=True, kw_only=True)
class Params(FilterGeometry):
    """The geometry and bounds of a convolution of int16."""

    activation_min: int
    activation_max: int
    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True, kw_only=True)
class WidthParams(Params):
    """The same for kernels with sums of 32 bits, which some nodes leave."""

    wide: bool  # sums may need 64 bits


def params(node: NodeView) -> Params:
    """The params of a node."""
    low, high = clamp_range(node)
    geometry = vars(filter_geometry(node))
    return Params(**geometry, activation_min=low, activation_max=high)


def width_params(node: NodeView) -> WidthParams:
    """The params of a node with the size of its sums."""
    return WidthParams(**vars(params(node)), wide=narrow_constants(node) is None)


def narrow_constants(node: NodeView) -> Array | None:
    """[channels][2]: Narrow, or None where sums may need 64 bits."""
    return narrow_table(node, filter_rows(node))


def filter_rows(node: NodeView) -> Array:
    """The weights, a row for each output channel."""
    return node["filter"].data.reshape(node["filter"].shape[0], -1)
