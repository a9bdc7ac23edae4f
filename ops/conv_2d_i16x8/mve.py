"""What cmsis_mve.h of Conv2DI16x8 takes and is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Distance, NodeView
from toolchain.op.mve_packing import blocked
from toolchain.op.overlap import group_distance
from toolchain.op.window import image_walk

from .dsp import MAX_WINDOW, narrow_constants
from .shape import WIDTH, shape

VECTOR = 8  # inputs
BLOCK = 4  # channels
PIXELS = 2  # of y that the kernel computes before it writes any of them


@dataclass(frozen=True)
class MveTables:
    """Constants packed for cmsis_mve.h; channels are filled up to a multiple of four."""

    filter: NDArray[np.int8]  # [channels / 4][step][4][inputs]
    bias: NDArray[np.int32]  # of Narrow
    multiplier: NDArray[np.int32]


def mve_tables(node: NodeView) -> MveTables:
    """The filter in blocks of four channels, and requantisation per output channel."""
    weights, narrow = node["filter"].data, narrow_constants(node)
    assert narrow is not None
    rows = weights.reshape(len(weights), -1)
    filled = np.pad(narrow, ((0, -len(narrow) % BLOCK), (0, 0)))
    bias, multiplier = (np.ascontiguousarray(filled[:, i]) for i in (0, 1))
    return MveTables(blocked(rows, rows.shape[1], VECTOR), bias, multiplier)


def takes(node: NodeView) -> bool:
    """One group, a bounded scratch, and sums of 32 bits."""
    one_group = node["x"].shape[3] == node["filter"].shape[3]
    return one_group and inputs(node) <= MAX_WINDOW and narrow_constants(node) is not None


def overlap(node: NodeView) -> dict[str, Distance]:
    """All that two pixels of y need is copied to scratch before any of them is written."""
    s = shape(node)
    read, written = s.input_channels * WIDTH, s.output_channels * WIDTH
    pixels = s.output_height * s.output_width
    return {"x": group_distance(image_walk(s), pixels, PIXELS, read, written)}


def windows(node: NodeView) -> int:
    """Elements of the windows of two pixels."""
    return PIXELS * inputs(node)


def inputs(node: NodeView) -> int:
    """Of one output element."""
    return node["filter"].elements // node["filter"].shape[0]
