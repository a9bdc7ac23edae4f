"""DepthwiseConv2D of int8 by dsp.h: filters of 3x3, a channel in a plane with its border."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from runtimes.core.dsp_requantization import DspRequantization, Shifts
from runtimes.families.convolution import Packed
from runtimes.families.depthwise import (
    DEPTHWISE,
    Geometry3x3,
    plane_overlap,
    refused_3x3,
    refused_plane,
)
from runtimes.families.layer import Padded
from toolchain.op import Array, Kernel, NodeView, Plan, Refused, i8


@dataclass(frozen=True, kw_only=True)
class PlaneParams(Shifts, Padded, Geometry3x3):
    """The geometry and bounds, and how sums are requantised."""


def plan(node: NodeView) -> Plan | Refused:
    """For a filter of 3x3 for each channel, a bounded plane, and exact requantisation."""
    plane, overlap = plane_bytes(node), partial(plane_overlap, node)
    return (
        refused_3x3(node)
        or refused_plane(plane, "bytes")
        or DEPTHWISE.proved(node, PlaneParams, tables, {"plane": plane}, overlap)
    )


def plane_bytes(node: NodeView) -> int:
    """Bytes of a channel with its border; dsp_planes.h has the same size."""
    _, height, width, _ = node["y"].shape
    down, right = node.attributes["stride_height"], node.attributes["stride_width"]
    block = 2 if down == right == 1 else 1  # windows that overlap in both directions
    columns = (-(-width // block) * block - 1) * right + (3 if block == 2 else 4)
    return int(((-(-height // block) * block - 1) * down + 3) * columns)


def tables(found: DspRequantization) -> Packed:
    """The nine weights of each channel, a word for each row: [channels][3][4]."""
    return Packed(rows_3x3(found.weights), found.table)


def rows_3x3(weights: Array) -> Array:
    """The nine weights of each channel with a fourth byte for each row: [channels][3][4]."""
    packed: Array = np.zeros((len(weights), 3, 4), weights.dtype)
    packed[..., :3] = weights.reshape(-1, 3, 3)
    return packed


DSP = Kernel(
    "dsp",
    PlaneParams,
    plan,
    Packed,
    scratch={"plane": i8},
    requires={"dsp"},
    copies=("memset",),
    cost=DEPTHWISE.cost(2.8, 0.3),
)
