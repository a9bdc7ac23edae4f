"""Weights in the order in which the kernels for the DSP extension read them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from toolchain.ir import Array


def interleaved(weights: Array) -> NDArray[np.int8]:
    """int8 weights [channels][inputs] as [channels / 4][inputs / 4][half][pair][2 x 2 bytes].

    Both sizes are filled up to multiples of four with zeros. One word holds, for a pair of
    channels (a, b), a's input i, b's i, a's i + 2 and b's i + 2, for i = 0 and then for i = 1:
    SXTB16 gives a's two inputs, SXTB16 with ROR 8 gives b's.
    """
    channels, inputs = weights.shape
    filled = np.zeros((-(-channels // 4) * 4, -(-inputs // 4) * 4), np.int8)
    filled[:channels, :inputs] = weights
    # [block][pair of channels][channel][four inputs][which two of them][half]
    blocks = filled.reshape(-1, 2, 2, filled.shape[1] // 4, 2, 2)
    return np.ascontiguousarray(blocks.transpose(0, 3, 5, 1, 4, 2))


def filled_up(values: Array, multiple: int = 4) -> NDArray[np.int32]:
    """A vector of int32, with zeros up to a multiple of so many elements."""
    found = np.zeros(-(-len(values) // multiple) * multiple, np.int32)
    found[: len(values)] = values
    return found
