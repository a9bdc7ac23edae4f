"""What cmsis_dsp.h of DepthwiseConv2D takes and is given."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Distance, NodeView
from toolchain.op.dsp_requantization import DspRequantization, dsp_requantization
from toolchain.op.overlap import planes

from .params import Params, params

MAX_PLANE = 4096  # bytes


@dataclass(frozen=True)
class DspParams(Params):
    """Also how the kernels for the DSP extension requantise."""

    left_shift: int  # of dsp::Threshold
    right_shift: int  # the same; 0: dsp::Rounding


@dataclass(frozen=True)
class DspTables:
    """Constants packed for cmsis_dsp.h, by channel."""

    filter: NDArray[np.int8]  # [channels][3][4]: a word for each row
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def dsp_params(node: NodeView) -> DspParams:
    """The geometry, the clamp and the shifts of this node."""
    found = requantization(node)
    assert found is not None
    return DspParams(**asdict(params(node)), left_shift=found.left, right_shift=found.right)


def dsp_tables(node: NodeView) -> DspTables:
    """The nine weights of each channel, a word for each row."""
    found = requantization(node)
    assert found is not None
    packed = np.zeros((len(found.weights), 3, 4), np.int8)
    packed[..., :3] = found.weights.reshape(-1, 3, 3)
    return DspTables(packed, found.table)


def overlap(node: NodeView) -> dict[str, Distance]:
    """A channel of an image is copied to scratch before it is written, so y may replace x."""
    return {"x": planes(node["x"].shape, node["y"].shape)}


def takes(node: NodeView) -> bool:
    """A filter of 3x3, one output channel for each input channel, a bounded plane of scratch."""
    x, weights, a = node["x"], node["filter"], node.attributes
    plain = weights.shape[1:3] == (3, 3) and weights.shape[3] == x.shape[3]
    dilated = a["dilation_height"] > 1 or a["dilation_width"] > 1
    if not plain or dilated or plane(node) > MAX_PLANE:
        return False
    return requantization(node) is not None


def requantization(node: NodeView) -> DspRequantization | None:
    """How the sums of each channel become int8, or None where no form is proved."""
    weights = node["filter"].data
    return dsp_requantization(node, weights.reshape(-1, weights.shape[3]).T)


def plane(node: NodeView) -> int:
    """Bytes of a channel with its border; cmsis_dsp.h has the same size."""
    _, height, width, _ = node["y"].shape
    down, right = node.attributes["stride_height"], node.attributes["stride_width"]
    block = 2 if down == right == 1 else 1  # windows that overlap in both directions
    columns = (-(-width // block) * block - 1) * right + (3 if block == 2 else 4)
    return int(((-(-height // block) * block - 1) * down + 3) * columns)
