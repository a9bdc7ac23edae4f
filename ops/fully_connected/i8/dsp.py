"""FullyConnected of int8 by dsp.h: eight channels at a time, requantised by one product each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from opsmith.op import ANY_RULE, Code, Kernel, NodeView, Plan, Refused, i8
from opsmith.runtimes.cmsis.dsp_code import ROW_OF_OUTPUTS
from opsmith.runtimes.cmsis.dsp_packing import (
    BEYOND_24_BITS,
    FEW,
    Unpaired,
    added_by_rows,
    filled_up,
    packed_rows,
    part_of_inputs,
    refused_pairs,
)
from opsmith.runtimes.cmsis.dsp_padding import PaddedRows, copied_words, whole_words
from opsmith.runtimes.core.dsp_requantization import PAIR_SHIFTS, DspRequantization, Owning
from opsmith.runtimes.families.matmul import MATMUL, PackedMatrix, asymmetric, row_overlap, scales
from opsmith.runtimes.families.owning import owning, unpaired

from .params import ShiftParams

OF_PAIRS = 1.5  # time of a channel in a pair, relative to a channel in a group of eight
CHANNELS = 8  # of y that the kernel computes before it writes any of them


@dataclass(frozen=True, kw_only=True)
class DspParams(PaddedRows, ShiftParams):
    """Sizes, bounds of y, and requantisation."""


@dataclass(frozen=True, kw_only=True)
class EightOwnParams(Owning, DspParams):
    """Params of dsp where some pairs of channels are requantised by 64-bit products."""


@dataclass(frozen=True, kw_only=True)
class EightUnpairedParams(Unpaired, DspParams):
    """Params of dsp where some weights fit in no pair."""


@dataclass(frozen=True, kw_only=True)
class EightUnpairedOwnParams(Owning, EightUnpairedParams):
    """Params of dsp with unpaired weights and some pairs of channels of 64-bit products."""


def plan(node: NodeView, params: type[DspParams] = DspParams) -> Plan | Refused:
    """Plan for symmetric weights that fit in pairs, with copies of rows that are no whole words."""
    if refused := asymmetric(node):
        return refused
    weights = node["weights"].data
    if refused := refused_pairs([weights], params):
        return refused
    depth = node["weights"].shape[1]
    if part_of_inputs(weights, node["x"].dtype.limits) < depth:
        return BEYOND_24_BITS
    return MATMUL.proved(
        node,
        params,
        partial(tables, params),
        {"row": copied_words(depth)},
        partial(row_overlap, node, CHANNELS),
        shifts=PAIR_SHIFTS,
        more={"padded_depth": whole_words(depth)},
        mixed=2,
        adds=added_by_rows,
    )


def has_large_scale(node: NodeView) -> bool:
    """True if the sums of some channel are multiplied by 1/2 or more."""
    return bool(np.any(scales(node) >= 1 / 2))


def tables(params: type, found: DspRequantization, *, in_parts: bool = False) -> PackedMatrix:
    """Weights in pairs, by eight channels, and requantisation constants."""
    words = packed_rows(params, found.weights, in_parts=in_parts)
    return PackedMatrix(words, filled_up(found.table, CHANNELS))


def cost(per_mac: float, per_output: float, node: NodeView) -> float:
    """Cost of groups of eight channels, full or not, and of a few last channels by pairs.

    A few channels alone count as a group, so that no node has the code of groups for them.
    """
    channels: int = node["weights"].shape[0]
    rest = channels % CHANNELS
    if rest == channels <= FEW:
        return MATMUL.cost(per_mac, per_output)(node) * CHANNELS / channels
    computed = channels - rest + (OF_PAIRS * (rest + rest % 2) if rest <= FEW else CHANNELS)
    return MATMUL.cost(per_mac * computed / channels, per_output)(node)


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    PackedMatrix,
    scratch={"row": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words
    cost=partial(cost, 0.99, 13.0),
    code=Code(60, general=320 + 1108, slowdown=1.02, shared=ROW_OF_OUTPUTS),
)
DSP_OWN = owning("fully_connected", DSP, plan, EightOwnParams, has_large_scale)
UNPAIRED = unpaired("fully_connected/i8", DSP, plan, EightUnpairedParams)
UNPAIRED_OWN = owning("fully_connected", UNPAIRED, plan, EightUnpairedOwnParams, has_large_scale)
KERNELS = (DSP, DSP_OWN, UNPAIRED, UNPAIRED_OWN)
