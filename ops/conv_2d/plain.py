"""What plain.h and thumb2.h of Conv2D take and are given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Distance, NodeView
from toolchain.op.dsp_packing import filled_up
from toolchain.op.dsp_requantization import DspRequantization, dsp_requantization
from toolchain.op.overlap import group_distance
from toolchain.op.window import image_walk

from .dsp import DspParams, params_with
from .params import params

PIXELS = 2  # of y that the kernels compute before they write any of them
CHANNELS = 2  # whose weights lie side by side for plain.h
THUMB2_CHANNELS = 4  # and for thumb2.h
TAPS = 2  # inputs whose weights are in one word for plain.h
STEP = 4  # inputs that one round of its loop takes
MAX_WINDOW = 1280  # inputs of an output element that scratch has room for


@dataclass(frozen=True)
class PlainTables:
    """Constants packed for plain.h; channels are filled up to a multiple of two, inputs of four."""

    filter: NDArray[np.int32]  # [channels / 2][inputs / 2], each [2 channels][2 inputs] of int8
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


@dataclass(frozen=True)
class Thumb2Tables:
    """Constants packed for thumb2.h; channels are filled up to a multiple of four."""

    filter: NDArray[np.int8]  # [channels / 4][inputs][4]
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def plain_params(node: NodeView) -> DspParams:
    """The geometry, the clamp and the shifts of the tables' requantisation."""
    found = _requantization(node)
    assert found is not None
    return params_with(node, found)


def plain_tables(node: NodeView) -> PlainTables:
    """The filter by pairs of channels and pairs of inputs, and requantisation per channel."""
    found = _requantization(node)
    assert found is not None
    missing = -found.weights.shape[1] % STEP
    filled = np.pad(_filled(found.weights, CHANNELS), ((0, 0), (0, missing)))
    grouped = filled.reshape(-1, CHANNELS, filled.shape[1] // TAPS, TAPS).transpose(0, 2, 1, 3)
    words = np.frombuffer(grouped.tobytes(), "<i4").astype(np.int32)
    return PlainTables(words, filled_up(found.table, CHANNELS))


def thumb2_tables(node: NodeView) -> Thumb2Tables:
    """The filter by groups of four channels, and requantisation per output channel."""
    found = _requantization(node)
    assert found is not None
    filled = _filled(found.weights, THUMB2_CHANNELS)
    grouped = filled.reshape(-1, THUMB2_CHANNELS, filled.shape[1]).transpose(0, 2, 1)
    return Thumb2Tables(np.ascontiguousarray(grouped), filled_up(found.table, THUMB2_CHANNELS))


def overlap(node: NodeView) -> dict[str, Distance]:
    """What a pair of pixels of y needs is copied to scratch before any of them is written."""
    p = params(node)
    walk, pixels = image_walk(p), p.output_height * p.output_width
    return {"x": group_distance(walk, pixels, PIXELS, p.input_channels, p.output_channels)}


def takes(node: NodeView) -> bool:
    """What thumb2_takes() says, and no sum of two products that 16 bits do not hold."""
    if not thumb2_takes(node):
        return False
    weights = node["filter"].data.reshape(node["filter"].shape[0], -1)
    pairs = np.pad(weights, ((0, 0), (0, weights.shape[1] % TAPS))).reshape(-1, TAPS)
    return not bool((pairs == np.iinfo(np.int8).min).all(axis=1).any())


def thumb2_takes(node: NodeView) -> bool:
    """One group, a bounded scratch, and sums and shifts for which requantisation is proved."""
    one_group = node["x"].shape[3] == node["filter"].shape[3]
    return one_group and _inputs(node) <= MAX_WINDOW and _requantization(node) is not None


def words(node: NodeView) -> int:
    """Words of plain.h's windows of a pair of pixels."""
    return -(-_inputs(node) // STEP) * STEP


def columns(node: NodeView) -> int:
    """Bytes of thumb2.h's windows of a pair of pixels."""
    return PIXELS * _inputs(node)


def _filled(weights: NDArray[np.int8], channels: int) -> NDArray[np.int8]:
    """The weights, with channels of zeros behind them up to a multiple."""
    return np.pad(weights.astype(np.int8), ((0, -len(weights) % channels), (0, 0)))


def _inputs(node: NodeView) -> int:
    return node["filter"].elements // node["filter"].shape[0]


def _requantization(node: NodeView) -> DspRequantization | None:
    weights = node["filter"].data
    return dsp_requantization(node, weights.reshape(len(weights), -1))
