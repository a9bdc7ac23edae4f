"""DepthwiseConv2D of int16 by dsp.h: filters of 3x3, a channel in a plane with its border."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from opsmith.op import Kernel, NodeView, Plan, Refused, i32
from opsmith.runtimes.core.rescaling import WidthRequantization
from opsmith.runtimes.families.convolution import Packed
from opsmith.runtimes.families.depthwise import (
    DEPTHWISE,
    WIDE,
    Geometry3x3,
    plane_overlap,
    refused_3x3,
    refused_plane,
)
from opsmith.runtimes.families.layer import Clamped


@dataclass(frozen=True, kw_only=True)
class PlaneParams(Clamped, Geometry3x3):
    """The geometry and bounds, and the plane that a channel is copied to with its border."""

    plane_width: int
    plane_height: int


def plan(node: NodeView) -> Plan | Refused:
    """For a filter of 3x3 without dilation, a plane of bounded size, and sums of 32 bits."""
    width, height = _plane(node)
    words = -(-width * height // 2)
    if refused := refused_3x3(node) or refused_plane(node, 2 * words, "elements"):
        return refused
    found = DEPTHWISE.int16(node)
    if found.wide:
        return WIDE
    return Plan(
        DEPTHWISE.params(PlaneParams, node, plane_width=width, plane_height=height),
        partial(tables, node, found),
        {"plane": words},
        partial(plane_overlap, node),
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


def tables(node: NodeView, found: WidthRequantization) -> Packed:
    """The weights of each channel, [channels][3][4]: a word for each row, of weights 0, 2, 1."""
    weights = node["filter"].data
    packed = np.zeros((weights.shape[3], 3, 4), np.int8)
    packed[..., [0, 2, 1]] = weights[0].transpose(2, 0, 1)
    return Packed(packed, found.table)


DSP = Kernel(
    "dsp",
    PlaneParams,
    plan,
    Packed,
    scratch={"plane": i32},
    requires={"dsp"},
    copies=("memset",),  # of the border
    cost=DEPTHWISE.cost(1.4, 12.0),
    pixels=0,
)
