"""DepthwiseConv2D of int16 by dsp.h: filters of 3x3, a channel in a plane with its border."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.families.depthwise import depthwise_macs, refused_3x3
from toolchain.op import Array, Distance, Kernel, NodeView, Plan, Refused, i32
from toolchain.op.cost import instructions
from toolchain.op.overlap import planes

from .params import WIDE, Params, narrow_constants, params

MAX_PLANE = 4096  # elements


@dataclass(frozen=True, kw_only=True)
class PlaneParams(Params):
    """Also the plane that a channel is copied to, with its border."""

    plane_width: int
    plane_height: int


@dataclass(frozen=True)
class DspTables:
    """Constants packed for dsp.h, by channel."""

    filter: NDArray[np.int8]  # [channels][3][4]: a word for each row, of weights 0, 2, 1
    requantization: NDArray[np.int32]  # [channels][2]: Narrow


def plan(node: NodeView) -> Plan | Refused:
    """For a filter of 3x3 without dilation, a plane of bounded size, and sums of 32 bits."""
    if refused := refused_3x3(node):
        return refused
    width, height = _plane(node)
    words = -(-width * height // 2)
    if 2 * words > MAX_PLANE:
        return Refused(f"a plane has {2 * words} elements, more than {MAX_PLANE}")
    narrow = narrow_constants(node)
    if narrow is None:
        return Refused(WIDE)
    return Plan(
        PlaneParams(**vars(params(node)), plane_width=width, plane_height=height),
        partial(_tables, node, narrow),
        {"plane": words},
        partial(_overlap, node),
    )


def _plane(node: NodeView) -> tuple[int, int]:
    """(width, height) of all windows; whole blocks of two by two where they overlap in both
    directions.
    """
    _, height, width, _ = node["y"].shape
    down, right = node.attributes["stride_height"], node.attributes["stride_width"]
    if down == right == 1:
        return -(-width // 2) * 2 + 2, -(-height // 2) * 2 + 2
    return (width - 1) * right + 3, (height - 1) * down + 3


def _tables(node: NodeView, narrow: Array) -> DspTables:
    """The nine weights of each channel, a word for each row, and requantisation."""
    weights = node["filter"].data
    packed = np.zeros((weights.shape[3], 3, 4), np.int8)
    packed[..., [0, 2, 1]] = weights[0].transpose(2, 0, 1)
    return DspTables(packed, narrow)


def _overlap(node: NodeView) -> dict[str, Distance]:
    """A channel of an image is copied to scratch before it is written, so y may replace x."""
    return {"x": planes(node["x"].shape, node["y"].shape)}


DSP = Kernel(
    "dsp",
    PlaneParams,
    plan,
    DspTables,
    scratch={"plane": i32},
    requires={"dsp"},
    copies=("memset",),  # of the border
    cost=instructions(depthwise_macs, 1.4, 12.0),
)
