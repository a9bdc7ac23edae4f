"""FullyConnected of int16 by dsp.h: eight channels at a time."""

from __future__ import annotations

from functools import partial

from runtimes.cmsis.dsp_packing import filled_up, interleaved_in_order
from runtimes.core.rescaling import WidthRequantization
from runtimes.families.matmul import MATMUL, Packed, copied_row, row_overlap
from toolchain.op import Kernel, NodeView, Plan, i16

from .params import ExactParams

CHANNELS = 8  # of y whose sums the kernel keeps
WIDE_CHANNELS = 2  # the same where sums have 64 bits


def plan(node: NodeView) -> Plan:
    """With a copy of a row that is no whole words."""
    found = MATMUL.int16(node)
    return Plan(
        MATMUL.params(ExactParams, node, wide=found.wide),
        partial(tables, node, found),
        {"row": copied_row(node, 2)},
        partial(row_overlap, node, WIDE_CHANNELS if found.wide else CHANNELS),
    )


def tables(node: NodeView, found: WidthRequantization) -> Packed:
    """[channels / 8][depth / 2][channel pair][2 x 2 bytes], and [channels]: Exact, or Real."""
    weights = interleaved_in_order(node["weights"].data, CHANNELS)
    return Packed(weights, filled_up(found.table, CHANNELS))


DSP = Kernel(
    "dsp",
    ExactParams,
    plan,
    Packed,
    scratch={"row": i16},
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words
    cost=MATMUL.cost_by_width((1.32, 55.0), (2.2, 170.0)),
)
