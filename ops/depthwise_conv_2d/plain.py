"""What plain.h of DepthwiseConv2D takes and is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Distance, NodeView
from toolchain.op.dsp_requantization import DspRequantization, dsp_requantization
from toolchain.op.overlap import group_distance
from toolchain.op.window import image_walk

from .params import params

MAX_WINDOW = 4096  # bytes of scratch


@dataclass(frozen=True)
class PlainTables:
    """Constants, by channel."""

    filter: NDArray[np.int8]  # [filter_height * filter_width][channels]
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def plain_tables(node: NodeView) -> PlainTables:
    """The filter as the model has it, and requantisation per channel."""
    found = _requantization(node)
    assert found is not None
    return PlainTables(np.ascontiguousarray(found.weights.T), found.table)


def overlap(node: NodeView) -> dict[str, Distance]:
    """What a pixel of y needs is copied to scratch before any of it is written."""
    p = params(node)
    pixels = p.output_height * p.output_width
    return {"x": group_distance(image_walk(p), pixels, 1, p.input_channels, p.input_channels)}


def takes(node: NodeView) -> bool:
    """One output channel for each input channel, a bounded scratch, proved requantisation."""
    plain = node["filter"].shape[3] == node["x"].shape[3]
    return plain and window(node) <= MAX_WINDOW and _requantization(node) is not None


def window(node: NodeView) -> int:
    """Bytes of a pixel's window."""
    return node["filter"].elements


def _requantization(node: NodeView) -> DspRequantization | None:
    weights = node["filter"].data
    return dsp_requantization(node, weights.reshape(-1, weights.shape[3]).T)
