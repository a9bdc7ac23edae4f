"""What mve.h of FullyConnectedI16x8 takes and is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.mve_packing import blocked
from toolchain.op.legacy import NodeView

from .requantization import requantization

VECTOR = 8  # inputs
CHANNELS = 4  # of y that the kernel computes before it writes any of them


@dataclass(frozen=True)
class MveTables:
    """Constants packed for mve.h; channels are filled up to a multiple of four."""

    weights: NDArray[np.int8]  # [channels / 4][step][4][inputs]
    requantization: NDArray[np.int32]  # [channels][4]: Exact, or Real


def mve_tables(node: NodeView) -> MveTables:
    """The weights in blocks of four channels, and requantisation per output channel."""
    weights = node["weights"].data
    packed = blocked(weights, weights.shape[1], VECTOR)
    return MveTables(packed, requantization(node, CHANNELS))
