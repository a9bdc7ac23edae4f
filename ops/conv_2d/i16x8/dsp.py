"""Conv2D of int16 by dsp.h: the windows of four pixels and two channels at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.dsp_packing import interleaved_in_order
from runtimes.core.narrow_requantization import wide_table
from runtimes.families.convolution import filter_macs, group_overlap, groups
from toolchain.op import Kernel, NodeView, Plan, Refused, i16, i32
from toolchain.op.cost import instructions

from .params import WidthParams, narrow_constants, width_params

PIXELS = 4  # of y that the kernel computes before it writes any of them
MAX_STEPS = 640  # words of inputs of an output element that scratch has room for


@dataclass(frozen=True)
class DspTables:
    """Constants packed for dsp.h."""

    filter: NDArray[np.int8]  # [channels / 2][filter_height][row of inputs / 2][2 x 2 bytes]
    requantization: NDArray[np.int32]  # [channels][2 or 4]: Narrow, or Wide


def plan(node: NodeView) -> Plan | Refused:
    """For one group, and a bounded scratch."""
    steps = _steps(node)
    if groups(node) != 1:
        return Refused(f"{groups(node)} groups, not one")
    if steps > MAX_STEPS:
        return Refused(f"a window has {steps} pairs of inputs, more than {MAX_STEPS}")
    return Plan(
        width_params(node),
        partial(_tables, node),
        {"columns": PIXELS * steps, "rest": _rest(node)},
        partial(group_overlap, node, PIXELS),
    )


def _steps(node: NodeView) -> int:
    """Words of inputs of one output element: whole ones for each row of the filter."""
    _, height, width, inputs = node["filter"].shape
    return height * -(-width * inputs // 2)


def _rest(node: NodeView) -> int:
    """Elements of a last group of pixels that is not full."""
    _, height, width, channels = node["y"].shape
    return PIXELS * channels if height * width % PIXELS else 0


def _tables(node: NodeView) -> DspTables:
    """The filter interleaved as the kernel reads it, and requantisation per output channel."""
    channels, height, width, inputs = node["filter"].shape
    rows = node["filter"].data.reshape(channels, height, width * inputs)
    whole = np.pad(rows, ((0, 0), (0, 0), (0, width * inputs % 2)))
    narrow = narrow_constants(node)
    return DspTables(
        interleaved_in_order(whole.reshape(channels, -1)),
        wide_table(node) if narrow is None else narrow,
    )


def cost(node: NodeView) -> float:
    """Instructions: sums of 64 bits take twice as many."""
    per_mac, per_output = (0.97, 12.0) if narrow_constants(node) is not None else (1.7, 40.0)
    return instructions(filter_macs, per_mac, per_output)(node)


DSP = Kernel(
    "dsp",
    WidthParams,
    plan,
    DspTables,
    scratch={"columns": i32, "rest": i16},
    requires={"dsp"},
    copies=("memcpy",),  # of a last group of pixels
    cost=cost,
)
