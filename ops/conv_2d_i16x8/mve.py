"""What cmsis_mve.h of Conv2DI16x8 takes and is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Distance, NodeView
from toolchain.op.convolution import filter_macs
from toolchain.op.cost import instructions
from toolchain.op.dsp_packing import filled_up
from toolchain.op.mve_packing import blocked
from toolchain.op.narrow_requantization import wide_table

from .dsp import narrow_constants
from .params import group_overlap

VECTOR = 8  # inputs
BLOCK = 4  # channels
PIXELS = 2  # of y that the kernel computes before it writes any of them
MAX_WINDOW = 2560  # inputs of an output element that scratch has room for


@dataclass(frozen=True)
class MveTables:
    """Constants packed for cmsis_mve.h; channels are filled up to a multiple of four."""

    filter: NDArray[np.int8]  # [channels / 4][step][4][inputs]
    # [channels / 4][2][4]: biases and multipliers of Narrow; or [channels][4]: Wide
    requantization: NDArray[np.int32]


def mve_tables(node: NodeView) -> MveTables:
    """The filter in blocks of four channels, and requantisation per output channel."""
    weights, narrow = node["filter"].data, narrow_constants(node)
    rows = weights.reshape(len(weights), -1)
    packed = blocked(rows, rows.shape[1], VECTOR)
    if narrow is None:
        return MveTables(packed, filled_up(wide_table(node), BLOCK))
    table = filled_up(narrow, BLOCK).reshape(-1, BLOCK, 2).transpose(0, 2, 1)
    return MveTables(packed, np.ascontiguousarray(table))


def takes(node: NodeView) -> bool:
    """One group, and a bounded scratch."""
    return node["x"].shape[3] == node["filter"].shape[3] and inputs(node) <= MAX_WINDOW


def cost(node: NodeView) -> float:
    """Instructions: sums of 64 bits take more."""
    per_mac, per_output = (0.25, 9.0) if narrow_constants(node) is not None else (0.6, 40.0)
    return instructions(filter_macs, per_mac, per_output)(node)


def overlap(node: NodeView) -> dict[str, Distance]:
    """What the kernel reads is copied to scratch, the windows of PIXELS at a time."""
    return group_overlap(node, PIXELS)


def windows(node: NodeView) -> int:
    """Elements of the windows of two pixels."""
    return PIXELS * inputs(node)


def inputs(node: NodeView) -> int:
    """Of one output element."""
    return node["filter"].elements // node["filter"].shape[0]
