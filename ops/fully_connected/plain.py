"""What plain.h of FullyConnected takes and is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import NodeView

from .dsp import thresholds
from .params import weights_zero_point

CHANNELS = 4  # whose weights lie side by side


@dataclass(frozen=True)
class PlainTables:
    """Constants packed for plain.h; channels are filled up to a multiple of four."""

    weights: NDArray[np.int8]  # [channels / 4][depth][4]
    requantization: NDArray[np.int32]  # [channels][2]: Threshold


def plain_tables(node: NodeView) -> PlainTables:
    """The weights by groups of four channels, and requantisation per output channel."""
    found = thresholds(node)
    assert found is not None
    channels, depth = node["weights"].shape
    filled = np.zeros((-(-channels // CHANNELS) * CHANNELS, depth), np.int8)
    filled[:channels] = node["weights"].data
    grouped = filled.reshape(-1, CHANNELS, depth).transpose(0, 2, 1)
    return PlainTables(np.ascontiguousarray(grouped), found.table(CHANNELS))


def takes(node: NodeView) -> bool:
    """Symmetric weights, and thresholds that one multiplication meets."""
    return weights_zero_point(node) == 0 and thresholds(node) is not None
