"""FullyConnected of int8 by CMSIS-NN, and whether its layers round as the reference does.

The library requantises sums in Q31 fixed point, the reference in double precision. Both are
monotonic, so each is described by its thresholds: for every output the least sum that reaches it.
The library is exact for a node where these agree as far as sums can go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.cmsis_nn import CORES, LIBRARY
from runtimes.core.accumulator import accumulator_bounds
from runtimes.families.matmul import macs, scales
from toolchain.op import Kernel, NodeView, Plan, Refused
from toolchain.op.arithmetic import multiply_by_quantized_multiplier, quantize_multiplier
from toolchain.op.clamp import clamp_range
from toolchain.op.cost import instructions

from .params import ScaledParams, asymmetric, bias_of, requantized, scaled_params

Sums = NDArray[np.int64]
DIFFERS = "sums are rounded in Q31 fixed point, so that rare elements differ by 1"


COSTS = {"mve": (0.47, 23.2), "dsp": (1.96, 60.5)}  # of a product and of an output


@dataclass(frozen=True, kw_only=True)
class NnParams(ScaledParams):
    """The sizes, the bounds of y, and the zero points."""

    input_zero_point: int


@dataclass(frozen=True)
class NnTables:
    """Constants, one entry per output channel but for the weights; of one scale, one entry."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int32]
    sums: NDArray[np.int32]  # the bias, with what the input's zero point adds
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int32]  # power of two, left is positive


def plan(node: NodeView) -> Plan | Refused:
    """For symmetric weights: of others, releases of the library differ in what they do."""
    if refused := asymmetric(node):
        return refused
    params = NnParams(**vars(scaled_params(node)), input_zero_point=node["x"].zero_point)
    return Plan(params, partial(_tables, node), inexact=_inexact(node))


def _tables(node: NodeView) -> NnTables:
    weights, bias = node["weights"].data, bias_of(node)
    sums = bias - node["x"].zero_point * weights.sum(axis=1, dtype=np.int64)
    return NnTables(weights, bias, sums.astype(np.int32), *_fixed(node))


def _inexact(node: NodeView) -> str:
    """How the library may differ from the reference; "" where it cannot."""
    weights, (low, high) = node["weights"].data, clamp_range(node)
    bounds = accumulator_bounds(node["x"], weights, bias_of(node))
    multiplier, shift = _fixed(node)
    if np.any(bounds << np.maximum(shift, 0).astype(np.int64) >= 1 << 31):
        return DIFFERS

    def reference(sums: Sums) -> Sums:
        return requantized(node, sums)

    def library(sums: Sums) -> Sums:
        scaled = multiply_by_quantized_multiplier(sums, multiplier, shift)
        return np.clip(scaled + node["y"].zero_point, low, high)

    outputs = np.arange(low + 1, high + 1)[:, np.newaxis]
    wanted, found = (_thresholds(each, bounds, outputs) for each in (reference, library))
    return "" if np.array_equal(wanted, found) else DIFFERS


def _fixed(node: NodeView) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    pairs = [quantize_multiplier(float(scale)) for scale in scales(node)]
    multiplier, shift = zip(*pairs, strict=True)
    return np.array(multiplier, np.int32), np.array(shift, np.int32)


def _thresholds(function: Callable[[Sums], Sums], bounds: Sums, outputs: Sums) -> Sums:
    """For each output and channel the least sum of -bounds to bounds that gives it, or more.

    Where none does, the first sum beyond.
    """
    low = np.broadcast_to(-bounds, (len(outputs), len(bounds))).copy()
    high = np.broadcast_to(bounds + 1, low.shape).copy()
    while np.any(low < high):
        middle = (low + high) >> 1
        reached = (function(middle) >= outputs) & (low < high)
        high = np.where(reached, middle, high)
        low = np.where(reached | (low >= high), low, middle + 1)
    return low


CMSIS_NN = tuple(
    Kernel(
        "cmsis_nn",
        NnParams,
        plan,
        NnTables,
        requires={LIBRARY, core},
        excludes=set(CORES[: CORES.index(core)]),
        cost=instructions(macs, *COSTS[core]),
        libraries=("cmsis-nn",),
    )
    for core in CORES
)
