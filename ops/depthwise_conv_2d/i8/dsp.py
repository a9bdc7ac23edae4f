"""DepthwiseConv2D of int8 by dsp.h: filters of 3x3, a channel in a plane with its border."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.core.dsp_requantization import NOT_PROVED, DspRequantization
from runtimes.families.depthwise import depthwise_macs, refused_3x3
from toolchain.op import Distance, Kernel, NodeView, Plan, Refused, i8
from toolchain.op.cost import instructions
from toolchain.op.overlap import planes

from .params import ShiftParams, requantization, shift_params

MAX_PLANE = 4096  # bytes


@dataclass(frozen=True)
class DspTables:
    """Constants packed for dsp.h, by channel."""

    filter: NDArray[np.int8]  # [channels][3][4]: a word for each row
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def plan(node: NodeView) -> Plan | Refused:
    """For a filter of 3x3 for each channel, a bounded plane, and exact requantisation."""
    if refused := refused_3x3(node):
        return refused
    if (plane := _plane(node)) > MAX_PLANE:
        return Refused(f"a plane has {plane} bytes, more than {MAX_PLANE}")
    found = requantization(node)
    if found is None:
        return Refused(NOT_PROVED)
    return Plan(
        shift_params(node, found),
        partial(_tables, found),
        {"plane": plane},
        partial(overlap, node),
    )


def _plane(node: NodeView) -> int:
    """Bytes of a channel with its border; dsp.h has the same size."""
    _, height, width, _ = node["y"].shape
    down, right = node.attributes["stride_height"], node.attributes["stride_width"]
    block = 2 if down == right == 1 else 1  # windows that overlap in both directions
    columns = (-(-width // block) * block - 1) * right + (3 if block == 2 else 4)
    return int(((-(-height // block) * block - 1) * down + 3) * columns)


def _tables(found: DspRequantization) -> DspTables:
    """The nine weights of each channel, a word for each row."""
    packed = np.zeros((len(found.weights), 3, 4), np.int8)
    packed[..., :3] = found.weights.reshape(-1, 3, 3)
    return DspTables(packed, found.table)


def overlap(node: NodeView) -> dict[str, Distance]:
    """A channel of an image is copied to scratch before it is written, so y may replace x."""
    return {"x": planes(node["x"].shape, node["y"].shape)}


DSP = Kernel(
    "dsp",
    ShiftParams,
    plan,
    DspTables,
    scratch={"plane": i8},
    requires={"dsp"},
    copies=("memset",),
    cost=instructions(depthwise_macs, 2.8, 0.3),
)
