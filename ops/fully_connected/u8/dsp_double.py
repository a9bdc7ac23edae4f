"""FullyConnected of uint8 by dsp_double.h: eight channels at a time, in double precision."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from opsmith.op import Kernel, NodeView, Plan, Refused, i8
from opsmith.runtimes.cmsis.dsp_packing import paired
from opsmith.runtimes.cmsis.dsp_padding import PaddedRows, whole_words
from opsmith.runtimes.families.matmul import MATMUL, row_overlap, scales

from ..i8.dsp import CHANNELS
from .dsp import refused_pairs
from .params import SummedSizes, lowered, lowered_bias, sum_factor


@dataclass(frozen=True, kw_only=True)
class ScaledParams(PaddedRows, SummedSizes):
    """The sizes, the bounds of y, and its zero point."""

    output_zero_point: int


@dataclass(frozen=True)
class DoubleTables:
    """Constants packed for dsp_double.h."""

    weights: NDArray[np.int8]  # [channels / 8][depth / 4][half][channel pair][2 x 2 bytes]
    bias: NDArray[np.int32]  # with what the input's zero point adds
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [1]


def plan(node: NodeView) -> Plan | Refused:
    """For weights that can be paired, with a copy of a row."""
    padded = whole_words(node["weights"].shape[1])
    return refused_pairs(node) or Plan(
        MATMUL.params(ScaledParams, node, sum_factor=sum_factor(node), padded_depth=padded),
        partial(_tables, node),
        {"row": padded},
        partial(row_overlap, node, CHANNELS),
    )


def _tables(node: NodeView) -> DoubleTables:
    weights = paired(lowered(MATMUL.lifted_rows(node), node), CHANNELS)
    return DoubleTables(weights, lowered_bias(node).astype(np.int32), scales(node))


DSP_DOUBLE = Kernel(
    "dsp_double",
    ScaledParams,
    plan,
    DoubleTables,
    scratch={"row": i8},
    requires={"dsp"},
    cost=MATMUL.cost(1.16, 150.0),
)
KERNELS = (DSP_DOUBLE,)
