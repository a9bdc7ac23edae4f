"""FullyConnected of int8 by dsp_double.h: two channels at a time, requantised as the reference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.dsp_packing import filled_up, interleaved
from runtimes.families.matmul import copied_row, macs, row_overlap, scales
from toolchain.op import Kernel, NodeView, Plan, Refused, i8
from toolchain.op.cost import instructions

from .params import ScaledParams, asymmetric, bias_of, scaled_params


@dataclass(frozen=True)
class DoubleTables:
    """Constants packed for dsp_double.h; channels are filled up to a multiple of two."""

    weights: NDArray[np.int8]  # [channels / 2][depth / 4][input half][2 x 2 bytes]
    bias: NDArray[np.int32]  # with what the input's zero point adds
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def plan(node: NodeView) -> Plan | Refused:
    """For symmetric weights, with a copy of a row that is no whole words."""
    if refused := asymmetric(node):
        return refused
    return Plan(
        scaled_params(node),
        partial(_tables, node),
        {"row": copied_row(node, 4)},
        partial(row_overlap, node),
    )


def _tables(node: NodeView) -> DoubleTables:
    weights = node["weights"].data
    folded = bias_of(node) - node["x"].zero_point * weights.sum(axis=1, dtype=np.int64)
    return DoubleTables(interleaved(weights), filled_up(folded, 2), scales(node))


DSP_DOUBLE = Kernel(
    "dsp_double",
    ScaledParams,
    plan,
    DoubleTables,
    scratch={"row": i8},
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words
    cost=instructions(macs, 1.75, 160.0),
)
