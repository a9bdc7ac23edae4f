"""Conv2D of int8 by thumb2.h: two pixels and four channels at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.dsp_packing import filled_up
from runtimes.core.dsp_requantization import NOT_PROVED, DspRequantization, dsp_requantization
from runtimes.families.convolution import (
    filter_macs,
    group_overlap,
    refused_window,
    window_inputs,
)
from toolchain.op import Kernel, NodeView, Plan, Refused, i8
from toolchain.op.cost import instructions

from .params import ShiftParams, filter_rows, shift_params
from .plain import MAX_WINDOW, PIXELS

CHANNELS = 4  # whose weights lie side by side


@dataclass(frozen=True)
class Thumb2Tables:
    """Constants packed for thumb2.h; channels are filled up to a multiple of four."""

    filter: NDArray[np.int8]  # [channels / 4][inputs][4]
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def plan(node: NodeView) -> Plan | Refused:
    """For one group, a bounded window, and exact requantisation."""
    if refused := refused_window(node, MAX_WINDOW):
        return refused
    found = dsp_requantization(node, filter_rows(node))
    if found is None:
        return Refused(NOT_PROVED)
    return Plan(
        shift_params(node, found),
        partial(_tables, found),
        {"windows": PIXELS * window_inputs(node)},
        partial(group_overlap, node, PIXELS),
    )


def _tables(found: DspRequantization) -> Thumb2Tables:
    """The filter by groups of four channels."""
    channels, inputs = found.weights.shape
    filled = np.pad(found.weights.astype(np.int8), ((0, -channels % CHANNELS), (0, 0)))
    grouped = filled.reshape(-1, CHANNELS, inputs).transpose(0, 2, 1)
    return Thumb2Tables(np.ascontiguousarray(grouped), filled_up(found.table, CHANNELS))


THUMB2 = Kernel(
    "thumb2",
    ShiftParams,
    plan,
    Thumb2Tables,
    scratch={"windows": i8},
    requires={"thumb2"},
    cost=instructions(filter_macs, 1.95, 25.0),
)
