"""Constants in the order in which the kernels for Helium read them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtimes.core.per_channel import bias_table, channel_multipliers
from toolchain.ir import Array
from toolchain.op.view import NodeView

VECTOR = 16  # bytes
NOT_TO_THE_RIGHT = "of some channel, x.scale * filter.scale / y.scale is not below 1/2"
MAX_PADDING = 256  # bytes of zeros that a filter may grow by for whole vectors of inputs


def geometry_words(geometry: Any) -> NDArray[np.int32]:
    """The fields of a dataclass of integers, as the struct of int32_t that a kernel reads."""
    return np.array([getattr(geometry, field.name) for field in fields(geometry)], np.int32)


def padded_inputs(channels: int, inputs: int) -> int:
    """The inputs of a channel, filled up to whole vectors where this costs few bytes."""
    rest = -inputs % VECTOR
    return inputs + rest if rest * channels <= MAX_PADDING else inputs


def steps(inputs: int, vector: int = VECTOR) -> tuple[int, int]:
    """(inputs before the first whole vector, vectors after the first step)."""
    return inputs % vector, (inputs - 1) // vector


def blocked(weights: Array, inputs: int, vector: int = VECTOR) -> NDArray[np.int8]:
    """int8 weights [channels][inputs] as, for each four channels, [step][4][inputs of the step].

    The first step is what is left of `inputs` by vectors, or a whole one; all others are whole.
    Channels are filled up to a multiple of four and inputs to so many, with zeros; as many bytes
    follow as a vector that begins with the last inputs reads too much.
    """
    channels, given = weights.shape
    filled = np.zeros((-(-channels // 4) * 4, inputs), np.int8)
    filled[:channels, :given] = weights
    first = inputs - steps(inputs, vector)[1] * vector
    blocks = filled.reshape(-1, 4, inputs)
    vectors = blocks[:, :, first:].reshape(len(blocks), 4, -1, vector).transpose(0, 2, 1, 3)
    whole = np.concatenate(
        [blocks[:, :, :first].reshape(len(blocks), -1), vectors.reshape(len(blocks), -1)], axis=1
    )
    return np.concatenate([whole.reshape(-1), np.zeros(vector - first, np.int8)])


def requantization_words(
    bias: NDArray[np.int64], multiplier: Array, shift: Array, order: Array
) -> NDArray[np.int32]:
    """[block][words]: biases, multipliers and, as bytes, shifts of the channels of each block.

    `order` says which channels of a block come where; what is missing in the last is filled up.
    """
    size = len(order)
    blocks = -(-len(bias) // size)
    rows = []
    for values, dtype in ((bias, np.int32), (multiplier, np.int32), (shift, np.int8)):
        filled = np.full(blocks * size, -1 if dtype is np.int8 else 0, dtype)
        filled[: len(values)] = values.astype(dtype)
        rows.append(filled.reshape(blocks, size)[:, order].copy().view(np.int32))
    return np.concatenate(rows, axis=1)


def filled_rows(values: NDArray[np.int32], multiple: int) -> NDArray[np.int32]:
    """A vector with zeros up to a multiple of so many elements."""
    return np.concatenate([values, np.zeros(-len(values) % multiple, np.int32)])


def right_shifts(node: NodeView) -> tuple[NDArray[np.int32], NDArray[np.int8]] | None:
    """(multiplier, shift) of each channel, where all shift to the right by 1 to 31; else None.

    A channel with multiplier 0 may shift as it likes.
    """
    multiplier, shift = channel_multipliers(node)
    shift = np.where(multiplier == 0, np.int8(-1), shift).astype(np.int8)
    return None if np.any(shift >= 0) else (multiplier, shift)


def folded_bias(node: NodeView, weights: Array) -> NDArray[np.int64]:
    """The bias of each channel, a row of weights, with what the input's zero point adds."""
    sums = weights.sum(axis=1, dtype=np.int64)
    return np.asarray(bias_table(node, len(weights)) - node["x"].zero_point * sums, np.int64)
