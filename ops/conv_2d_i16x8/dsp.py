"""What cmsis_dsp.h of Conv2DI16x8 takes and is given."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Array, Distance, NodeView
from toolchain.op.convolution import filter_macs
from toolchain.op.cost import instructions
from toolchain.op.dsp_packing import interleaved_in_order
from toolchain.op.narrow_requantization import narrow_table, wide_table

from .params import Params, group_overlap, params

PIXELS = 4  # of y that the kernel computes before it writes any of them
MAX_WINDOW = 1280  # inputs of an output element that scratch has room for


@dataclass(frozen=True)
class DspParams(Params):
    """Also how large the sums are."""

    wide: bool  # they may need 64 bits


@dataclass(frozen=True)
class DspTables:
    """Constants packed for cmsis_dsp.h."""

    filter: NDArray[np.int8]  # [channels / 2][filter_height][row of inputs / 2][2 x 2 bytes]
    requantization: NDArray[np.int32]  # [channels][2 or 4]: Narrow, or Wide


def dsp_params(node: NodeView) -> DspParams:
    """The geometry, the clamp and the size of sums of this node."""
    return DspParams(**asdict(params(node)), wide=narrow_constants(node) is None)


def dsp_tables(node: NodeView) -> DspTables:
    """The filter interleaved as the kernel reads it, and requantisation per output channel."""
    channels, height, width, inputs = node["filter"].shape
    rows = node["filter"].data.reshape(channels, height, width * inputs)
    whole = np.pad(rows, ((0, 0), (0, 0), (0, width * inputs % 2)))
    narrow = narrow_constants(node)
    return DspTables(
        interleaved_in_order(whole.reshape(channels, -1)),
        wide_table(node) if narrow is None else narrow,
    )


def overlap(node: NodeView) -> dict[str, Distance]:
    """What the kernel reads is copied to scratch, the windows of PIXELS at a time."""
    return group_overlap(node, PIXELS)


def takes(node: NodeView) -> bool:
    """One group, and a bounded scratch."""
    return node["x"].shape[3] == node["filter"].shape[3] and 2 * steps(node) <= MAX_WINDOW


def cost(node: NodeView) -> float:
    """Instructions: sums of 64 bits take twice as many."""
    per_mac, per_output = (0.97, 12.0) if narrow_constants(node) is not None else (1.7, 40.0)
    return instructions(filter_macs, per_mac, per_output)(node)


def steps(node: NodeView) -> int:
    """Words of inputs of one output element: whole ones for each row of the filter."""
    _, height, width, inputs = node["filter"].shape
    return height * -(-width * inputs // 2)


def columns(node: NodeView) -> int:
    """Words of the windows of all pixels of a group."""
    return PIXELS * steps(node)


def rest(node: NodeView) -> int:
    """Elements of a last group of pixels that is not full."""
    _, height, width, channels = node["y"].shape
    return PIXELS * channels if height * width % PIXELS else 0


def narrow_constants(node: NodeView) -> Array | None:
    """[channels][2]: Narrow, or None where sums may need 64 bits."""
    weights = node["filter"].data
    return narrow_table(node, weights.reshape(len(weights), -1))
