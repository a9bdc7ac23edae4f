"""Weights and constants in rows or blocks of channels, filled up with zeros."""

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array


def blocks_of_channels(weights: Array, channels: int) -> NDArray[np.int8]:
    """int8 weights [channels][inputs] as [block][inputs][channels]; zeros fill the last block."""
    filled = np.pad(weights, ((0, -len(weights) % channels), (0, 0)))
    blocks = filled.reshape(-1, channels, weights.shape[1]).transpose(0, 2, 1)
    return np.ascontiguousarray(blocks, np.int8)


def filled_up(table: Array, multiple: int) -> NDArray[np.int32]:
    """Table of int32 with a row for each channel, and zeros up to a multiple of `multiple`."""
    found = np.zeros((-(-len(table) // multiple) * multiple, *table.shape[1:]), np.int32)
    found[: len(table)] = table
    return found
