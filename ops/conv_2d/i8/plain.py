"""Conv2D of int8 by plain.h: two pixels at a time on cores that have only Thumb."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from opsmith.op import ANY_RULE, Array, Kernel, NodeView, Plan, Refused, i32
from opsmith.runtimes.cmsis.dsp_packing import filled_up
from opsmith.runtimes.core.dsp_requantization import DspRequantization
from opsmith.runtimes.families.convolution import CONVOLUTION, group_overlap, refused_window
from opsmith.runtimes.families.owning import owning

from .params import OwnParams, ShiftParams

PIXELS = 2  # of y that the kernel computes before it writes any of them
CHANNELS = 2  # whose weights lie side by side
TAPS = 2  # inputs whose weights are in one word
STEP = 4  # inputs that one round of the loop takes
MAX_WINDOW = 1280  # inputs of an output element that scratch has room for


@dataclass(frozen=True)
class PlainTables:
    """Constants packed for plain.h; channels are filled up to a multiple of two, inputs of four."""

    filter: NDArray[np.int32]  # [channels / 2][inputs / 2], each [2 channels][2 inputs] of int8
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """For one group, a bounded window, and sums of two products that 16 bits hold."""
    if refused := refused_window(node, MAX_WINDOW):
        return refused
    if _beyond_16_bits(CONVOLUTION.rows(node)):
        return Refused("two neighbouring weights are -128: their products need 17 bits")
    scratch = {"windows": -(-CONVOLUTION.inputs(node) // STEP) * STEP}
    overlap = partial(group_overlap, node, PIXELS)
    return CONVOLUTION.proved(node, params, tables, scratch, overlap)


def _beyond_16_bits(weights: Array) -> bool:
    if weights.min(initial=0) > np.iinfo(np.int8).min:
        return False  # as converters choose scales
    pairs = np.pad(weights, ((0, 0), (0, weights.shape[1] % TAPS))).reshape(-1, TAPS)
    return bool((pairs == np.iinfo(np.int8).min).all(axis=1).any())


def tables(found: DspRequantization) -> PlainTables:
    """The filter by pairs of channels and pairs of inputs."""
    channels, inputs = found.weights.shape
    filled = np.pad(found.weights, ((0, -channels % CHANNELS), (0, -inputs % STEP)))
    grouped = filled.reshape(-1, CHANNELS, filled.shape[1] // TAPS, TAPS).transpose(0, 2, 1, 3)
    words = np.frombuffer(grouped.astype(np.int8).tobytes(), "<i4").astype(np.int32)
    return PlainTables(words, filled_up(found.table, CHANNELS))


def grouped_cost(group: int, per_mac: float, per_output: float, node: NodeView) -> float:
    """The cost of groups of N channels, full or not."""
    channels = node["y"].shape[3]
    computed = -(-channels // group) * group
    return CONVOLUTION.cost(per_mac * computed / channels, per_output)(node)


PLAIN = Kernel(
    "plain",
    ShiftParams,
    plan,
    PlainTables,
    scratch={"windows": i32},
    numerics=ANY_RULE,
    requires={"thumb"},
    cost=partial(grouped_cost, CHANNELS, 3.4, 26.0),
    pixels=2,
)
KERNELS = (PLAIN, owning("conv_2d", PLAIN, plan, OwnParams))
