"""What the kernels of DepthwiseConv2D for int16 share: the params of a node, and its constants."""

from __future__ import annotations

from dataclasses import dataclass

from runtimes.core.narrow_requantization import narrow_table
from runtimes.families.depthwise import DepthwiseGeometry, channel_rows, depthwise_geometry
from toolchain.op import Array, NodeView
from toolchain.op.clamp import clamp_range

WIDE = "a sum may need 64 bits"  # why kernels refuse a node


@dataclass(frozen=True, kw_only=True)
class Params(DepthwiseGeometry):
    """The geometry and bounds of a depthwise convolution of int16."""

    activation_min: int
    activation_max: int
    reversed: bool = False  # walk from the last pixel to the first


def params(node: NodeView) -> Params:
    """The params of a node."""
    low, high = clamp_range(node)
    geometry = vars(depthwise_geometry(node))
    return Params(**geometry, activation_min=low, activation_max=high)


def narrow_constants(node: NodeView) -> Array | None:
    """[channels][2]: Narrow, or None where sums may need 64 bits."""
    return narrow_table(node, channel_rows(node))
