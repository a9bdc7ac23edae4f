"""Conv2D of int16 by mve.h, for Helium: the windows of two pixels and four channels at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.dsp_packing import filled_up
from runtimes.cmsis.mve_packing import blocked
from runtimes.core.narrow_requantization import wide_table
from runtimes.families.convolution import (
    filter_macs,
    group_overlap,
    refused_window,
    window_inputs,
)
from toolchain.op import Kernel, NodeView, Plan, Refused, i16
from toolchain.op.cost import instructions

from .params import WidthParams, filter_rows, narrow_constants, width_params

VECTOR = 8  # inputs
BLOCK = 4  # channels
PIXELS = 2  # of y that the kernel computes before it writes any of them
MAX_WINDOW = 2560  # inputs of an output element that scratch has room for


@dataclass(frozen=True)
class MveTables:
    """Constants packed for mve.h; channels are filled up to a multiple of four."""

    filter: NDArray[np.int8]  # [channels / 4][step][4][inputs]
    # [channels / 4][2][4]: biases and multipliers of Narrow; or [channels][4]: Wide
    requantization: NDArray[np.int32]


def plan(node: NodeView) -> Plan | Refused:
    """For one group, and a bounded window."""
    if refused := refused_window(node, MAX_WINDOW):
        return refused
    return Plan(
        width_params(node),
        partial(_tables, node),
        {"windows": PIXELS * window_inputs(node)},
        partial(group_overlap, node, PIXELS),
    )


def _tables(node: NodeView) -> MveTables:
    """The filter in blocks of four channels, and requantisation per output channel."""
    rows, narrow = filter_rows(node), narrow_constants(node)
    packed = blocked(rows, rows.shape[1], VECTOR)
    if narrow is None:
        return MveTables(packed, filled_up(wide_table(node), BLOCK))
    table = filled_up(narrow, BLOCK).reshape(-1, BLOCK, 2).transpose(0, 2, 1)
    return MveTables(packed, np.ascontiguousarray(table))


def cost(node: NodeView) -> float:
    """Instructions: sums of 64 bits take more."""
    per_mac, per_output = (0.25, 9.0) if narrow_constants(node) is not None else (0.6, 40.0)
    return instructions(filter_macs, per_mac, per_output)(node)


MVE = Kernel(
    "mve",
    WidthParams,
    plan,
    MveTables,
    scratch={"windows": i16},
    requires={"mve"},
    cost=cost,
)
