"""Conv2D of int8 by dsp.h: weights in pairs, and the windows of four pixels at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.dsp_packing import filled_up, pairable, paired
from runtimes.core.dsp_requantization import NOT_PROVED, DspRequantization, dsp_requantization
from runtimes.families.convolution import (
    filter_macs,
    group_overlap,
    refused_window,
    window_inputs,
)
from toolchain.op import Code, Kernel, NodeView, Plan, Refused, i8, i32
from toolchain.op.cost import instructions

from .params import ShiftParams, filter_rows, shift_params

PIXELS = 4  # of y that the kernel computes before it writes any of them
MAX_WINDOW = 1280  # inputs of an output element that scratch has room for
LEFT_SHIFTS = range(13, 7, -1)  # sums of a pair's second channel are 256 times too large


@dataclass(frozen=True)
class DspTables:
    """Constants packed for dsp.h; channels are filled up to a multiple of two."""

    filter: NDArray[np.int8]  # [channels / 2][inputs / 4][half][1][2 x 2 bytes]
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def plan(node: NodeView) -> Plan | Refused:
    """For one group, a bounded window, weights that fit in pairs, and exact requantisation."""
    if refused := refused_window(node, MAX_WINDOW):
        return refused
    if not pairable(filter_rows(node), node["x"].dtype.limits):
        return Refused("weights do not fit in pairs: -128 beside one below 0, or sums of 24 bits")
    found = dsp_requantization(node, filter_rows(node), LEFT_SHIFTS)
    if found is None:
        return Refused(NOT_PROVED)
    inputs = -(-window_inputs(node) // 4) * 4
    return Plan(
        shift_params(node, found),
        partial(_tables, found),
        {
            "columns": PIXELS // 2 * inputs,
            "window": 0 if _spread_in_place(node) else inputs,
            "rest": _rest(node),
        },
        partial(group_overlap, node, PIXELS),
    )


def _tables(found: DspRequantization) -> DspTables:
    return DspTables(paired(found.weights, 2), filled_up(found.table, 2))


def _spread_in_place(node: NodeView) -> bool:
    """Whether each window is a pixel of x, which need not be copied to be spread."""
    alone = node["filter"].shape[1:3] == (1, 1) and node["x"].shape[:3] == node["y"].shape[:3]
    return alone and node["x"].shape[3] % 4 == 0


def _rest(node: NodeView) -> int:
    """Bytes of a last group of pixels that is not full."""
    _, height, width, channels = node["y"].shape
    return PIXELS * channels if height * width % PIXELS else 0


DSP = Kernel(
    "dsp",
    ShiftParams,
    plan,
    DspTables,
    scratch={"columns": i32, "window": i8, "rest": i8},
    requires={"dsp"},
    copies=("memcpy", "memset"),  # windows at the border, and a last group of pixels
    cost=instructions(filter_macs, 0.96, 10.6),
    code=Code(instance=420, general=2500),  # which has both ways to requantise
)
