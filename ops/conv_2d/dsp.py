"""What cmsis_dsp.h of Conv2D takes and is given."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Distance, NodeView
from toolchain.op.dsp_packing import filled_up, pairable, paired
from toolchain.op.dsp_requantization import DspRequantization, dsp_requantization
from toolchain.op.overlap import group_distance
from toolchain.op.window import image_walk

from .params import Params, params

PIXELS = 4  # of y that the kernel computes before it writes any of them
MAX_WINDOW = 1280  # inputs of an output element that scratch has room for


@dataclass(frozen=True)
class DspParams(Params):
    """Also how the kernels for the DSP extension requantise."""

    left_shift: int  # of dsp::Threshold
    right_shift: int  # the same; 0: dsp::Rounding


@dataclass(frozen=True)
class DspTables:
    """Constants packed for cmsis_dsp.h; channels are filled up to a multiple of two."""

    filter: NDArray[np.int8]  # [channels / 2][inputs / 4][half][1][2 x 2 bytes]
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def dsp_params(node: NodeView) -> DspParams:
    """The geometry, the clamp and the shifts of this node."""
    found = _dsp_requantization(node)
    assert found is not None
    return params_with(node, found)


def params_with(node: NodeView, found: DspRequantization) -> DspParams:
    """The shape with the shifts of a requantisation."""
    return DspParams(**asdict(params(node)), left_shift=found.left, right_shift=found.right)


def dsp_tables(node: NodeView) -> DspTables:
    """The filter interleaved as the kernel reads it, and requantisation per output channel."""
    found = _dsp_requantization(node)
    assert found is not None
    return DspTables(paired(found.weights, 2), filled_up(found.table, 2))


def overlap(node: NodeView) -> dict[str, Distance]:
    """All that a group of pixels of y needs is copied to scratch before any of them is written."""
    p = params(node)
    walk, pixels = image_walk(p), p.output_height * p.output_width
    return {"x": group_distance(walk, pixels, PIXELS, p.input_channels, p.output_channels)}


def takes(node: NodeView) -> bool:
    """One group, a bounded scratch, weights in pairs, and a proved requantisation."""
    if node["x"].shape[3] != node["filter"].shape[3] or _inputs(node) > MAX_WINDOW:
        return False
    return _dsp_requantization(node) is not None


def _dsp_requantization(node: NodeView) -> DspRequantization | None:
    """Sums of channel b are 256 times too large in the kernel: left is 8 or more."""
    weights = node["filter"].data.reshape(len(node["filter"].data), -1)
    if not pairable(weights, node["x"].dtype.limits):
        return None
    return dsp_requantization(node, weights, range(13, 7, -1))


def columns(node: NodeView) -> int:
    """Words of the spread windows of all pixels of a group."""
    return PIXELS // 2 * _inputs(node)


def window(node: NodeView) -> int:
    """Bytes of a window, but where it is copied from its input pixel as it is."""
    alone = node["filter"].shape[1:3] == (1, 1) and node["x"].shape[:3] == node["y"].shape[:3]
    return 0 if alone and node["x"].shape[3] % 4 == 0 else _inputs(node)


def rest(node: NodeView) -> int:
    """Bytes of a last group of pixels that is not full."""
    _, height, width, channels = node["y"].shape
    return PIXELS * channels if height * width % PIXELS else 0


def _inputs(node: NodeView) -> int:
    """Inputs of one output element, filled up to a multiple of four."""
    _, height, width, channels = node["filter"].shape
    return -(-height * width * channels // 4) * 4
