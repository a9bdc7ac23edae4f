"""What mve.h of DepthwiseConv2DI16x8 takes and is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op.legacy import NodeView

from .dsp import narrow_constants

CHANNELS = 8  # of a pixel that the kernel computes before it writes any of them
WIDENED = [0, 2, 4, 6, 1, 3, 5, 7]  # the channels that VMULLB makes of eight, then VMULLT


@dataclass(frozen=True)
class MveTables:
    """Constants for mve.h."""

    filter: NDArray[np.int8]  # [filter_height * filter_width * channels + 8]
    requantization: NDArray[np.int32]  # [channels / 8][2][8]: biases and multipliers of Narrow


def mve_tables(node: NodeView) -> MveTables:
    """The filter as the model has it, and requantisation of eight channels at a time."""
    narrow = narrow_constants(node)
    assert narrow is not None
    filled = np.pad(narrow, ((0, -len(narrow) % CHANNELS), (0, 0)))
    blocks = filled.reshape(-1, CHANNELS, 2)[:, WIDENED].transpose(0, 2, 1)
    weights = np.pad(node["filter"].data.reshape(-1), (0, CHANNELS))
    return MveTables(weights, np.ascontiguousarray(blocks))
