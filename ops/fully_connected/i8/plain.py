"""FullyConnected of int8 by plain.h: four channels at a time on cores that have only Thumb."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.core.threshold_requantization import Thresholds
from runtimes.families.matmul import macs, row_overlap
from toolchain.op import Array, Kernel, NodeView, Plan, Refused
from toolchain.op.cost import instructions

from .params import NOT_PROVED, ShiftParams, asymmetric, shift_params, thresholds

CHANNELS = 4  # whose weights lie side by side


@dataclass(frozen=True)
class PlainTables:
    """Constants packed for plain.h; channels are filled up to a multiple of four."""

    weights: NDArray[np.int8]  # [channels / 4][depth][4]
    requantization: NDArray[np.int32]  # [channels][2]: Threshold


def plan(node: NodeView) -> Plan | Refused:
    """For symmetric weights, and sums that thresholds prove."""
    if refused := asymmetric(node):
        return refused
    found = thresholds(node)
    if found is None:
        return NOT_PROVED
    return Plan(
        shift_params(node, found),
        partial(_tables, node["weights"].data, found),
        overlap=partial(row_overlap, node, CHANNELS),
    )


def _tables(weights: Array, found: Thresholds) -> PlainTables:
    """The weights by groups of four channels, and requantisation per output channel."""
    channels, depth = weights.shape
    filled = np.pad(weights, ((0, -channels % CHANNELS), (0, 0)))
    grouped = filled.reshape(-1, CHANNELS, depth).transpose(0, 2, 1)
    return PlainTables(np.ascontiguousarray(grouped), found.table(CHANNELS))


PLAIN = Kernel(
    "plain",
    ShiftParams,
    plan,
    PlainTables,
    requires={"thumb"},
    cost=instructions(macs, 2.6, 28.0),
)
