"""Weights in the order in which the kernels for the DSP extension read them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from toolchain.ir import Array


def interleaved(weights: Array) -> NDArray[np.int8]:
    """int8 weights [channels][inputs] as [channels / 2][inputs / 4][half][2 x 2 bytes].

    Sizes are filled up with zeros. One word holds, for a pair of channels (a, b), a's input i, b's
    i, a's i + 2 and b's i + 2, for i = 0 and then for i = 1: SXTB16 gives a's two inputs, SXTB16
    with ROR 8 gives b's.
    """
    channels, inputs = weights.shape
    filled = np.zeros((-(-channels // 2) * 2, -(-inputs // 4) * 4), np.int8)
    filled[:channels, :inputs] = weights
    # [pair of channels][channel][four inputs][which two of them][half]
    pairs = filled.reshape(-1, 2, filled.shape[1] // 4, 2, 2)
    return np.ascontiguousarray(pairs.transpose(0, 2, 4, 3, 1))


def paired(weights: Array) -> NDArray[np.int8]:
    """int8 weights [channels][inputs] as [channels / 8][inputs / 4][half][pair][2 x 2 bytes].

    Sizes are filled up with zeros. One word holds, for a pair of channels (a, b), the halfwords
    256 * b + a of input i and of i + 2, for i = 0 and then for i = 1.
    """
    channels, inputs = weights.shape
    filled = np.zeros((-(-channels // 8) * 8, -(-inputs // 4) * 4), np.int16)
    filled[:channels, :inputs] = weights
    # [block][pair of channels][four inputs][which two of them][half]
    a, b = (filled[i::2].reshape(-1, 4, filled.shape[1] // 4, 2, 2) for i in (0, 1))
    halfwords = (256 * b + a).astype("<i2").transpose(0, 2, 4, 1, 3)
    return np.ascontiguousarray(halfwords).view(np.int8).reshape(*halfwords.shape, 2)


def pairable(weights: Array) -> bool:
    """Whether each pair of channels fits a halfword: not where -128 comes before a negative one."""
    odd = len(weights) // 2 * 2
    return not np.any((weights[1:odd:2] == -128) & (weights[0:odd:2] < 0))


def filled_up(table: Array, multiple: int) -> NDArray[np.int32]:
    """A table with a row of int32 for each channel, with zeros up to a multiple of so many rows."""
    found = np.zeros((-(-len(table) // multiple) * multiple, *table.shape[1:]), np.int32)
    found[: len(table)] = table
    return found
