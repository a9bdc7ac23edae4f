"""What plain.h of Conv2D takes and is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Distance, NodeView
from toolchain.op.dsp_packing import filled_up
from toolchain.op.dsp_requantization import DspRequantization, dsp_requantization
from toolchain.op.overlap import group_distance
from toolchain.op.window import image_walk

from .dsp import DspShape, shape_with
from .shape import shape

PIXELS = 2  # of y that the kernel computes before it writes any of them
CHANNELS = 4  # whose weights lie side by side
MAX_WINDOW = 1280  # inputs of an output element that scratch has room for


@dataclass(frozen=True)
class PlainTables:
    """Constants packed for plain.h; channels are filled up to a multiple of four."""

    filter: NDArray[np.int8]  # [channels / 4][inputs][4]
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def plain_shape(node: NodeView) -> DspShape:
    """The geometry, the clamp and the shifts of the tables' requantisation."""
    found = _requantization(node)
    assert found is not None
    return shape_with(node, found)


def plain_tables(node: NodeView) -> PlainTables:
    """The filter by groups of four channels, and requantisation per output channel."""
    found = _requantization(node)
    assert found is not None
    channels, inputs = found.weights.shape
    filled = np.zeros((-(-channels // CHANNELS) * CHANNELS, inputs), np.int8)
    filled[:channels] = found.weights
    grouped = filled.reshape(-1, CHANNELS, inputs).transpose(0, 2, 1)
    return PlainTables(np.ascontiguousarray(grouped), filled_up(found.table, CHANNELS))


def overlap(node: NodeView) -> dict[str, Distance]:
    """What a pair of pixels of y needs is copied to scratch before any of them is written."""
    s = shape(node)
    walk, pixels = image_walk(s), s.output_height * s.output_width
    return {"x": group_distance(walk, pixels, PIXELS, s.input_channels, s.output_channels)}


def takes(node: NodeView) -> bool:
    """One group, a bounded scratch, and sums and shifts for which requantisation is proved."""
    one_group = node["x"].shape[3] == node["filter"].shape[3]
    return one_group and _inputs(node) <= MAX_WINDOW and _requantization(node) is not None


def columns(node: NodeView) -> int:
    """Bytes of the windows of a pair of pixels."""
    return PIXELS * _inputs(node)


def _inputs(node: NodeView) -> int:
    return node["filter"].elements // node["filter"].shape[0]


def _requantization(node: NodeView) -> DspRequantization | None:
    weights = node["filter"].data
    return dsp_requantization(node, weights.reshape(len(weights), -1))
