"""FullyConnected of int16 by dsp.h: eight channels at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.dsp_packing import interleaved_in_order
from runtimes.families.matmul import copied_row, macs, row_overlap
from toolchain.op import Kernel, NodeView, Plan, i16
from toolchain.op.cost import instructions

from .exact import ExactParams, Requantization, requantization

CHANNELS = 8  # of y whose sums the kernel keeps
WIDE_CHANNELS = 2  # the same where sums have 64 bits


@dataclass(frozen=True)
class DspTables:
    """Constants packed for dsp.h; channels are filled up to a multiple of eight."""

    weights: NDArray[np.int8]  # [channels / 8][depth / 2][channel pair][2 x 2 bytes]
    requantization: NDArray[np.int32]  # [channels][4]: Exact, or Real


def plan(node: NodeView) -> Plan:
    """With a copy of a row that is no whole words."""
    found = requantization(node)
    return Plan(
        found.params(node),
        partial(_tables, node, found),
        {"row": copied_row(node, 2)},
        partial(row_overlap, node, WIDE_CHANNELS if found.wide else CHANNELS),
    )


def _tables(node: NodeView, found: Requantization) -> DspTables:
    return DspTables(interleaved_in_order(node["weights"].data, CHANNELS), found.filled(CHANNELS))


def cost(node: NodeView) -> float:
    """Instructions: sums of 64 bits and double precision take more."""
    per_mac, per_output = (2.2, 170.0) if requantization(node).wide else (1.32, 55.0)
    return instructions(macs, per_mac, per_output)(node)


DSP = Kernel(
    "dsp",
    ExactParams,
    plan,
    DspTables,
    scratch={"row": i16},
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words
    cost=cost,
)
