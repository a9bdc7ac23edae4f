"""What cmsis_dsp.h and cmsis_dsp_general.h of DepthwiseConv2DI16x8 take and are given."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Array, Distance, NodeView
from toolchain.op.dsp_packing import side_by_side
from toolchain.op.narrow_requantization import narrow_table
from toolchain.op.overlap import planes

from .params import Params, params

CHANNELS = 4  # of a pixel that cmsis_dsp_general.h computes before it writes any of them
MAX_PLANE = 4096  # elements


@dataclass(frozen=True)
class DspParams(Params):
    """Also the plane that a channel is copied to, with its border."""

    plane_width: int
    plane_height: int


@dataclass(frozen=True)
class DspTables:
    """Constants packed for cmsis_dsp.h, by channel."""

    filter: NDArray[np.int8]  # [channels][3][4]: a word for each row, of weights 0, 2, 1
    requantization: NDArray[np.int32]  # [channels][2]: Narrow


@dataclass(frozen=True)
class GeneralTables:
    """The same for cmsis_dsp_general.h: by blocks of four channels, the last with the last four."""

    filter: NDArray[np.int8]  # [block][filter_height][filter_width][4]
    requantization: NDArray[np.int32]  # [block][4][2]: Narrow


def dsp_params(node: NodeView) -> DspParams:
    """The geometry, with that of the plane."""
    return DspParams(**asdict(params(node)), **asdict(_plane(node)))


def dsp_tables(node: NodeView) -> DspTables:
    """The nine weights of each channel, a word for each row, and requantisation."""
    narrow, weights = narrow_constants(node), node["filter"].data
    assert narrow is not None
    packed = np.zeros((weights.shape[3], 3, 4), np.int8)
    packed[..., [0, 2, 1]] = weights[0].transpose(2, 0, 1)
    return DspTables(packed, narrow)


def general_tables(node: NodeView) -> GeneralTables:
    """The filter as the kernel reads it, and requantisation per channel of a block."""
    channels, narrow = node["x"].shape[3], narrow_constants(node)
    assert narrow is not None
    starts = np.minimum(np.arange(0, channels, CHANNELS), channels - CHANNELS)
    table = narrow[starts[:, None] + np.arange(CHANNELS)]
    return GeneralTables(side_by_side(node["filter"].data.reshape(-1, channels), starts), table)


def overlap(node: NodeView) -> dict[str, Distance]:
    """A channel of an image is copied to scratch before it is written, so y may replace x."""
    return {"x": planes(node["x"].shape, node["y"].shape)}


def takes(node: NodeView) -> bool:
    """A filter of 3x3 without dilation, a plane of bounded size, and what the other needs."""
    weights, a = node["filter"], node.attributes
    plain = weights.shape[1:3] == (3, 3) and a["dilation_height"] == a["dilation_width"] == 1
    return plain and 2 * plane(node) <= MAX_PLANE and takes_channels(node)


def takes_any_filter(node: NodeView) -> bool:
    """A block of channels, and what every kernel needs."""
    return node["x"].shape[3] >= CHANNELS and takes_channels(node)


def takes_channels(node: NodeView) -> bool:
    """One output channel for each input channel, and sums of 32 bits."""
    plain = node["filter"].shape[3] == node["x"].shape[3]
    return plain and narrow_constants(node) is not None


def plane(node: NodeView) -> int:
    """Words of a channel with its border."""
    found = _plane(node)
    return -(-found.plane_width * found.plane_height // 2)


@dataclass(frozen=True)
class _Plane:
    plane_width: int
    plane_height: int


def _plane(node: NodeView) -> _Plane:
    """All windows; whole blocks of two by two where they overlap in both directions."""
    _, height, width, _ = node["y"].shape
    down, right = node.attributes["stride_height"], node.attributes["stride_width"]
    if down == right == 1:
        return _Plane(-(-width // 2) * 2 + 2, -(-height // 2) * 2 + 2)
    return _Plane((width - 1) * right + 3, (height - 1) * down + 3)


def narrow_constants(node: NodeView) -> Array | None:
    """[channels][2]: Narrow, or None where sums may need 64 bits."""
    weights = node["filter"].data
    return narrow_table(node, weights.reshape(-1, weights.shape[3]).T)
