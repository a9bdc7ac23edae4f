"""DepthwiseConv2D of int8 by plain.h: a window at a time, on cores that have only Thumb."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.core.dsp_requantization import NOT_PROVED, DspRequantization
from runtimes.families.convolution import group_overlap
from runtimes.families.depthwise import depthwise_macs, refused_multiplier
from toolchain.op import Kernel, NodeView, Plan, Refused, i8
from toolchain.op.cost import instructions

from .params import ShiftParams, requantization, shift_params

MAX_WINDOW = 4096  # bytes of scratch


@dataclass(frozen=True)
class PlainTables:
    """Constants, by channel."""

    filter: NDArray[np.int8]  # [filter_height * filter_width][channels]
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def plan(node: NodeView) -> Plan | Refused:
    """For one filter for each channel, a bounded scratch, and exact requantisation."""
    if refused := refused_multiplier(node):
        return refused
    if (window := node["filter"].elements) > MAX_WINDOW:
        return Refused(f"a window has {window} bytes, more than {MAX_WINDOW}")
    found = requantization(node)
    if found is None:
        return Refused(NOT_PROVED)
    return Plan(
        shift_params(node, found),
        partial(_tables, found),
        {"window": window},
        partial(group_overlap, node, 1),
    )


def _tables(found: DspRequantization) -> PlainTables:
    """The filter as the model has it, and requantisation per channel."""
    return PlainTables(np.ascontiguousarray(found.weights.T), found.table)


PLAIN = Kernel(
    "plain",
    ShiftParams,
    plan,
    PlainTables,
    scratch={"window": i8},
    requires={"thumb"},
    cost=instructions(depthwise_macs, 3.7, 23.0),
)
