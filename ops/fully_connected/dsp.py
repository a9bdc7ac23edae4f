"""What cmsis_dsp.h and cmsis_dsp_double.h of FullyConnected take and are given."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from toolchain.op import NodeView
from toolchain.op.dsp_packing import filled_up, interleaved, pairable, paired
from toolchain.op.dsp_requantization import product_bounds
from toolchain.op.threshold_requantization import Sums, Thresholds, threshold_requantization

from .params import Params, params, requantized, tables, weights_zero_point


@dataclass(frozen=True)
class DspParams(Params):
    """Also how cmsis_dsp.h requantises."""

    left_shift: int  # of dsp::Threshold
    right_shift: int


@dataclass(frozen=True)
class DspTables:
    """Constants packed for cmsis_dsp.h; channels are filled up to a multiple of eight."""

    weights: NDArray[np.int8]  # [channels / 8][depth / 4][input half][channel pair][2 x 2 bytes]
    requantization: NDArray[np.int32]  # [channels][2]: dsp::Threshold


@dataclass(frozen=True)
class DoubleTables:
    """Constants packed for cmsis_dsp_double.h; channels are filled up to a multiple of two."""

    weights: NDArray[np.int8]  # [channels / 2][depth / 4][input half][2 x 2 bytes]
    bias: NDArray[np.int32]  # with what the input's zero point adds
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def dsp_params(node: NodeView) -> DspParams:
    """The sizes, the clamp and the shifts of this node."""
    found = thresholds(node)
    assert found is not None
    return DspParams(**asdict(params(node)), left_shift=found.left, right_shift=found.right)


def dsp_tables(node: NodeView) -> DspTables:
    """The weights packed by pairs of channels, and requantisation per output channel."""
    found = thresholds(node)
    assert found is not None
    return DspTables(paired(node["weights"].data, 8), found.table(8))


def double_tables(node: NodeView) -> DoubleTables:
    """The weights interleaved as the kernel reads them."""
    t = tables(node)
    folded = t.bias - node["x"].zero_point * t.weights.sum(axis=1, dtype=np.int64)
    return DoubleTables(interleaved(t.weights), filled_up(folded, 2), t.scale)


def takes(node: NodeView) -> bool:
    """Symmetric weights that can be paired, and thresholds that one multiplication meets."""
    symmetric = weights_zero_point(node) == 0
    return (
        symmetric
        and pairable(node["weights"].data, node["x"].dtype.limits)
        and thresholds(node) is not None
    )


def thresholds(node: NodeView) -> Thresholds | None:
    """One multiplication for each channel that gives the outputs of all sums, if there is one."""
    t, weights = tables(node), node["weights"].data
    bias, scale = t.bias.astype(np.int64).tobytes(), t.scale.astype(np.float64).tobytes()
    return _solved(params(node), weights.tobytes(), bias, scale, node["x"].dtype.limits)


@lru_cache(maxsize=256)
def _solved(
    p: Params, weights: bytes, bias: bytes, scale: bytes, limits: tuple[int, int]
) -> Thresholds | None:
    """Sums of channel b are 256 times too large in the kernel: left is 8 or more."""
    rows = np.frombuffer(weights, np.int8).reshape(p.channels, p.depth)
    scales = np.frombuffer(scale, np.float64)
    folded = np.frombuffer(bias, np.int64) - p.input_zero_point * rows.sum(axis=1, dtype=np.int64)

    def output(sums: NDArray[np.int64]) -> NDArray[np.int64]:
        return requantized(p, scales, (sums + folded[:, None]).T).T

    low, high = product_bounds(rows, limits)
    slope = np.broadcast_to(scales, (p.channels,))
    clamp = p.activation_min, p.activation_max
    return threshold_requantization(Sums(low, high, output, slope, clamp), range(13, 7, -1))


def row(node: NodeView) -> int:
    """Bytes of a copy of a row, where rows are no whole words."""
    depth = node["weights"].shape[1]
    return -(-depth // 4) * 4 if depth % 4 else 0
