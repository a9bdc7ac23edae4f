"""FullyConnected of uint8 by dsp.h: eight channels at a time, requantised by one product each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from opsmith.op import Kernel, NodeView, Plan, Refused, i8
from opsmith.runtimes.cmsis.dsp_packing import filled_up, fits_upper, pairable, paired
from opsmith.runtimes.cmsis.dsp_padding import PaddedRows, whole_words
from opsmith.runtimes.core.dsp_requantization import PAIR_SHIFTS, DspRequantization, Shifts
from opsmith.runtimes.families.matmul import MATMUL, Packed, row_overlap

from ..i8.dsp import CHANNELS
from .params import SummedSizes, lowered, sum_factor


@dataclass(frozen=True, kw_only=True)
class ShiftParams(PaddedRows, Shifts, SummedSizes):
    """The sizes, the bounds of y, and how sums are requantised."""


def plan(node: NodeView) -> Plan | Refused:
    """For weights that can be paired, with a copy of a row."""
    padded = whole_words(node["weights"].shape[1])
    return refused_pairs(node) or MATMUL.proved(
        node,
        ShiftParams,
        partial(_tables, node),
        {"row": padded},
        partial(row_overlap, node, CHANNELS),
        shifts=PAIR_SHIFTS,
        more={"sum_factor": sum_factor(node), "padded_depth": padded},
    )


def refused_pairs(node: NodeView) -> Refused | None:
    """Why weights cannot be paired, if so."""
    lifted = MATMUL.lifted_rows(node)
    if pairable(lowered(lifted, node), i8.limits) and fits_upper(lifted[1::2], i8.limits):
        return None
    return Refused("weights do not fit in pairs: 0 beside one below 128, or sums of 24 bits")


def _tables(node: NodeView, found: DspRequantization) -> Packed:
    """The weights by eight channels, in pairs."""
    weights = paired(lowered(found.weights, node), CHANNELS)
    return Packed(weights, filled_up(found.table, CHANNELS))


DSP = Kernel(
    "dsp",
    ShiftParams,
    plan,
    Packed,
    scratch={"row": i8},
    requires={"dsp"},
    cost=MATMUL.cost(1.16, 27.0),
)
KERNELS = (DSP,)
