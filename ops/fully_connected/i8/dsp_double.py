"""FullyConnected of int8 by dsp_double.h: two channels at a time, requantised as the reference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from opsmith.op import Kernel, NodeView, Plan, Refused, i8
from opsmith.runtimes.cmsis.dsp_packing import filled_up, interleaved
from opsmith.runtimes.cmsis.dsp_padding import PaddedRows, copied_words, whole_words
from opsmith.runtimes.core.per_channel import folded_bias
from opsmith.runtimes.families.matmul import MATMUL, asymmetric, row_overlap, scales

from .params import ScaledParams


@dataclass(frozen=True, kw_only=True)
class DspDoubleParams(PaddedRows, ScaledParams):
    """The sizes, the bounds of y, and what sums are multiplied by."""


@dataclass(frozen=True)
class DoubleTables:
    """Constants packed for dsp_double.h; channels are filled up to a multiple of two."""

    weights: NDArray[np.int8]  # [channels / 2][depth / 4][input half][2 x 2 bytes]
    bias: NDArray[np.int32]  # with what the input's zero point adds
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def plan(node: NodeView) -> Plan | Refused:
    """For symmetric weights, with a copy of a row that is no whole words."""
    depth = node["weights"].shape[1]
    return asymmetric(node) or Plan(
        MATMUL.params(DspDoubleParams, node, padded_depth=whole_words(depth)),
        partial(tables, node),
        {"row": copied_words(depth)},
        partial(row_overlap, node),
    )


def tables(node: NodeView) -> DoubleTables:
    """The constants of a node."""
    weights = node["weights"].data
    folded = filled_up(folded_bias(node, weights), 2)
    return DoubleTables(interleaved(weights), folded, scales(node))


DSP_DOUBLE = Kernel(
    "dsp_double",
    DspDoubleParams,
    plan,
    DoubleTables,
    scratch={"row": i8},
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words
    cost=MATMUL.cost(1.75, 160.0),
)
KERNELS = (DSP_DOUBLE,)
