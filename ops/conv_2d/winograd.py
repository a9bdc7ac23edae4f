"""What cmsis_dsp_winograd.h of Conv2D takes and is given.

F(2x2, 3x3) of A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks (2016), with
G doubled: its halves become whole, every transformed weight is four times as large, and so is each
sum. Inputs are at most 512 and weights 1143 in magnitude once transformed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Distance, NodeView
from toolchain.op.dsp_packing import filled_up
from toolchain.op.dsp_requantization import DspRequantization, dsp_requantization

from . import dsp
from .params import params

TILES = 4  # of 2x2 outputs that are computed at once
LEAST_CHANNELS = 32  # of x: with fewer, transforms eat what products save
_G = np.array([[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]], np.int64)


@dataclass(frozen=True)
class WinogradTables:
    """Constants; channels are filled up to a multiple of two."""

    filter: NDArray[np.int16]  # [channels / 2][16][inputs / 4][half][2 channels][2 inputs]
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def winograd_params(node: NodeView) -> dsp.DspParams:
    """The geometry, the clamp and the shifts of this node."""
    found = _requantization(node)
    assert found is not None
    return dsp.params_with(node, found)


def winograd_tables(node: NodeView) -> WinogradTables:
    """The transformed filter as the kernel reads it, and requantisation per output channel."""
    found = _requantization(node)
    assert found is not None
    inputs = node["filter"].shape[3]
    weights = found.weights.reshape(-1, 3, 3, inputs).astype(np.int64)
    filled = np.pad(weights, ((0, len(weights) % 2), (0, 0), (0, 0), (0, 0)))
    positions = np.einsum("ij,cjkn,lk->cnil", _G, filled, _G).reshape(len(filled), inputs, 16)
    # [pair of channels][channel][four inputs][which two of them][half][position]
    split = positions.reshape(-1, 2, inputs // 4, 2, 2, 16)
    packed = np.ascontiguousarray(split.transpose(0, 5, 2, 4, 1, 3)).astype(np.int16)
    return WinogradTables(packed, filled_up(found.table, 2))


def takes(node: NodeView) -> bool:
    """An image, a filter of 3x3 with stride 1, and channels that fill the loop."""
    x, weights, a = node["x"], node["filter"], node.attributes
    strides = {
        a[f"{kind}_{axis}"] for kind in ("stride", "dilation") for axis in ("height", "width")
    }
    plain = weights.shape[1:3] == (3, 3) and strides == {1} and x.shape[0] == 1
    inputs = x.shape[3]
    if not plain or inputs != weights.shape[3] or inputs % 16 or inputs < LEAST_CHANNELS:
        return False
    return _requantization(node) is not None


def growth(node: NodeView) -> int:
    """Bytes of weights beyond those of cmsis_dsp.h."""
    count, _, _, inputs = node["filter"].shape
    return count * inputs * (2 * 16 - 9)


def macs(node: NodeView) -> int:
    """Products of transformed inputs and weights."""
    y, inputs = node["y"], node["filter"].shape[3]
    return y.elements * inputs * 4


def overlap(node: NodeView) -> dict[str, Distance]:
    """Two rows of y are written once the four of x that they need are copied, each of them once."""
    p = params(node)
    rows = np.arange(0, p.output_height, 2)
    written = np.minimum(rows + 2, p.output_height) * p.output_width * p.output_channels
    unread = rows + 4 - p.padding_top
    waits = unread < p.input_height
    distance = written - unread * p.input_width * p.input_channels
    return {"x": Distance(int(np.max(distance[waits], initial=-(2**31))))}


def lines(node: NodeView) -> int:
    """Bytes of four rows of x with their border."""
    _, _, width, _ = node["y"].shape
    return 4 * (-(-width // (2 * TILES)) * 2 * TILES + 2) * node["x"].shape[3]


def inputs(node: NodeView) -> int:
    """Words of the transformed inputs of all tiles of a group."""
    return 16 * node["x"].shape[3] // 2 * TILES


def _requantization(node: NodeView) -> DspRequantization | None:
    """Sums are four times too large in the kernel: left is 2 or more."""
    weights = node["filter"].data
    return dsp_requantization(node, weights.reshape(len(weights), -1), range(13, 1, -1))
