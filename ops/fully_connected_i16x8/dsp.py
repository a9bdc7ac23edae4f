"""What cmsis_dsp.h of FullyConnectedI16x8 takes and is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import NodeView
from toolchain.op.cost import instructions
from toolchain.op.dsp_packing import interleaved_in_order

from .params import macs
from .requantization import exact_table, requantization

CHANNELS = 8  # of y whose sums the kernel keeps


@dataclass(frozen=True)
class DspTables:
    """Constants packed for cmsis_dsp.h; channels are filled up to a multiple of eight."""

    weights: NDArray[np.int8]  # [channels / 8][depth / 2][channel pair][2 x 2 bytes]
    requantization: NDArray[np.int32]  # [channels][4]: Exact, or Real


def dsp_tables(node: NodeView) -> DspTables:
    """The weights as the kernel reads them, and requantisation per output channel."""
    weights = interleaved_in_order(node["weights"].data, CHANNELS)
    return DspTables(weights, requantization(node, CHANNELS))


def block(node: NodeView) -> int:
    """Channels of y that are computed before any of them is written."""
    return 2 if exact_table(node) is None else CHANNELS


def row(node: NodeView) -> int:
    """Elements of a copy of a row, where rows are no whole words."""
    depth = node["weights"].shape[1]
    return depth + 1 if depth % 2 else 0


def cost(node: NodeView) -> float:
    """Instructions: sums of 64 bits and double precision take more."""
    per_mac, per_output = (1.32, 55.0) if exact_table(node) is not None else (2.2, 170.0)
    return instructions(macs, per_mac, per_output)(node)
