"""What cmsis_dsp.h of DepthwiseConv2DI16x8 takes and is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Array, NodeView
from toolchain.op.dsp_packing import side_by_side
from toolchain.op.narrow_requantization import narrow_table

CHANNELS = 4  # of a pixel that the kernel computes before it writes any of them


@dataclass(frozen=True)
class DspTables:
    """Constants packed for cmsis_dsp.h: by blocks of four channels, the last with the last four."""

    filter: NDArray[np.int8]  # [block][filter_height][filter_width][4]
    requantization: NDArray[np.int32]  # [block][4][2]: Narrow


def dsp_tables(node: NodeView) -> DspTables:
    """The filter as the kernel reads it, and requantisation per channel of a block."""
    channels, narrow = node["x"].shape[3], narrow_constants(node)
    assert narrow is not None
    starts = np.minimum(np.arange(0, channels, CHANNELS), channels - CHANNELS)
    table = narrow[starts[:, None] + np.arange(CHANNELS)]
    return DspTables(side_by_side(node["filter"].data.reshape(-1, channels), starts), table)


def takes(node: NodeView) -> bool:
    """One output channel for each input channel, a block of channels, and sums of 32 bits."""
    channels = node["x"].shape[3]
    plain = node["filter"].shape[3] == channels and channels >= CHANNELS
    return plain and narrow_constants(node) is not None


def narrow_constants(node: NodeView) -> Array | None:
    """[channels][2]: Narrow, or None where sums may need 64 bits."""
    weights = node["filter"].data
    return narrow_table(node, weights.reshape(-1, weights.shape[3]).T)
