"""What depthwise convolutions share: filters of one channel each, [1][height][width][channels]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.families.convolution import Geometry, geometry
from runtimes.families.window import taps
from toolchain.ir import Array
from toolchain.op.kernel import Refused
from toolchain.op.view import NodeView


@dataclass(frozen=True, kw_only=True)
class DepthwiseGeometry(Geometry):
    """Where the filters go, and how many there are for each channel of x."""

    channel_multiplier: int


def depthwise_geometry(node: NodeView) -> DepthwiseGeometry:
    """The geometry of a node with x, filter and y."""
    return DepthwiseGeometry(**vars(geometry(node)), channel_multiplier=multiplier(node))


def multiplier(node: NodeView) -> int:
    """Output channels of one input channel."""
    return node["filter"].shape[3] // node["x"].shape[3]


def depthwise_macs(node: NodeView) -> int:
    """Multiplications: one for every weight of a channel and element of y."""
    return node["y"].elements * node["filter"].shape[1] * node["filter"].shape[2]


def channel_rows(node: NodeView) -> Array:
    """The weights, a row for each output channel."""
    return node["filter"].data.reshape(-1, node["filter"].shape[3]).T


def channel_products(node: NodeView, x: Array) -> NDArray[np.int64]:
    """The sum of weights times x for each element of y; outside of the image x is 0."""
    repeated = np.repeat(x.astype(np.int64), multiplier(node), axis=3)
    sums = np.zeros(node["y"].shape, np.int64)
    for fy, fx, pixels in taps(repeated, geometry(node)):
        sums += pixels * node["filter"].data[0, fy, fx].astype(np.int64)
    return sums


def refused_multiplier(node: NodeView) -> Refused | None:
    """Why a kernel for one filter for each channel of x does not take a node."""
    count = multiplier(node)
    return None if count == 1 else Refused(f"{count} filters for each channel, not one")


def refused_3x3(node: NodeView) -> Refused | None:
    """Why a kernel for filters of 3x3, one for each channel, does not take a node."""
    (_, height, width, _), a = node["filter"].shape, node.attributes
    if (height, width) != (3, 3):
        return Refused(f"filter is {height}x{width}, not 3x3")
    if (dilation := (a["dilation_height"], a["dilation_width"])) != (1, 1):
        return Refused(f"filter is dilated by {dilation[0]}x{dilation[1]}")
    return refused_multiplier(node)
