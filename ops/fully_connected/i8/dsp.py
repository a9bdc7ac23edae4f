"""FullyConnected of int8 by dsp.h: eight channels at a time, requantised by one product each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.dsp_packing import pairable, paired
from runtimes.core.threshold_requantization import Thresholds
from runtimes.families.matmul import copied_row, macs, row_overlap
from toolchain.op import Kernel, NodeView, Plan, Refused, i8
from toolchain.op.cost import instructions

from .params import NOT_PROVED, ShiftParams, asymmetric, shift_params, thresholds

CHANNELS = 8  # of y that the kernel computes before it writes any of them


@dataclass(frozen=True)
class DspTables:
    """Constants packed for dsp.h; channels are filled up to a multiple of eight."""

    weights: NDArray[np.int8]  # [channels / 8][depth / 4][input half][channel pair][2 x 2 bytes]
    requantization: NDArray[np.int32]  # [channels][2]: dsp::Threshold


def plan(node: NodeView) -> Plan | Refused:
    """For symmetric weights that can be paired, with a copy of a row that is no whole words."""
    if refused := asymmetric(node):
        return refused
    if not pairable(node["weights"].data, node["x"].dtype.limits):
        return Refused("two channels' weights or their sums do not fit one word")
    found = thresholds(node)
    if found is None:
        return NOT_PROVED
    return Plan(
        shift_params(node, found),
        partial(_tables, node, found),
        {"row": copied_row(node, 4)},
        partial(row_overlap, node, CHANNELS),
    )


def _tables(node: NodeView, found: Thresholds) -> DspTables:
    return DspTables(paired(node["weights"].data, CHANNELS), found.table(CHANNELS))


DSP = Kernel(
    "dsp",
    ShiftParams,
    plan,
    DspTables,
    scratch={"row": i8},
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words
    cost=instructions(macs, 1.16, 24.3),
)
