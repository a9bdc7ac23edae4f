"""FullyConnected of int8 by dsp.h: eight channels at a time, requantised by one product each."""

from __future__ import annotations

from functools import partial

from runtimes.cmsis.dsp_packing import filled_up, pairable, paired
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.matmul import MATMUL, Packed, asymmetric, copied_row, row_overlap
from toolchain.op import Code, Kernel, NodeView, Plan, Refused, i8

from .params import LEFT_SHIFTS, ShiftParams

CHANNELS = 8  # of y that the kernel computes before it writes any of them


def plan(node: NodeView) -> Plan | Refused:
    """For symmetric weights that can be paired, with a copy of a row that is no whole words."""
    if refused := asymmetric(node):
        return refused
    if not pairable(node["weights"].data, node["x"].dtype.limits):
        return Refused("two channels' weights or their sums do not fit one word")
    scratch, overlap = {"row": copied_row(node, 4)}, partial(row_overlap, node, CHANNELS)
    return MATMUL.proved(node, ShiftParams, tables, scratch, overlap, lefts=LEFT_SHIFTS)


def tables(found: DspRequantization) -> Packed:
    """The weights by eight channels, in pairs."""
    return Packed(paired(found.weights, CHANNELS), filled_up(found.table, CHANNELS))


DSP = Kernel(
    "dsp",
    ShiftParams,
    plan,
    Packed,
    scratch={"row": i8},
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words
    cost=MATMUL.cost(1.16, 24.3),
    code=Code(instance=150, general=350),
)
