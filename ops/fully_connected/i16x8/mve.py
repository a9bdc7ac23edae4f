"""FullyConnected of int16 by mve.h, for Helium: four channels at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.mve_packing import blocked
from runtimes.families.matmul import macs, row_overlap
from toolchain.op import Kernel, NodeView, Plan
from toolchain.op.cost import instructions

from .exact import ExactParams, Requantization, requantization

VECTOR = 8  # inputs
CHANNELS = 4  # of y that the kernel computes before it writes any of them


@dataclass(frozen=True)
class MveTables:
    """Constants packed for mve.h; channels are filled up to a multiple of four."""

    weights: NDArray[np.int8]  # [channels / 4][step][4][inputs]
    requantization: NDArray[np.int32]  # [channels][4]: Exact, or Real


def plan(node: NodeView) -> Plan:
    """For every node."""
    found = requantization(node)
    overlap = partial(row_overlap, node, CHANNELS)
    return Plan(found.params(node), partial(_tables, node, found), overlap=overlap)


def _tables(node: NodeView, found: Requantization) -> MveTables:
    weights = node["weights"].data
    return MveTables(blocked(weights, weights.shape[1], VECTOR), found.filled(CHANNELS))


MVE = Kernel(
    "mve", ExactParams, plan, MveTables, requires={"mve"}, cost=instructions(macs, 0.33, 40.0)
)
