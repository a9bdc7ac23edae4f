"""LSTM of int8 by dsp.h: the gates of two cells at a time."""

from opsmith.op import *
from runtimes.cmsis.dsp_code import EIGHT_CHANNELS
from runtimes.cmsis.dsp_packing import (
    BEYOND_24_BITS,
    added_by_rows,
    packed_rows,
    part_of_inputs,
    refused_pairs,
)
from runtimes.cmsis.dsp_padding import PaddedRows, copied_words, whole_words
from runtimes.families.owning import unpaired

from ..cell import GATES, by_cells, macs
from .params import FACTS, Params, sum_bounds

MATRICES = ("weights", "recurrent")
SHARED = EIGHT_CHANNELS | {"lstm::output_of": 1296}
BEYOND_31_BITS = Refused("sums that are shifted for their requantisation need more than 31 bits")


@dataclass(frozen=True, kw_only=True)
class DspParams(PaddedRows, Params):
    """Sizes, and requantisation of sums."""

    padded_cells: int  # elements of the previous output, filled up to whole words


@dataclass(frozen=True)
class DspTables:
    """Weights and biases for dsp.h: the four gates of each cell together."""

    weights: NDArray[np.int8]  # as packed_rows() has them
    recurrent: NDArray[np.int8]
    bias: NDArray[np.int32]  # [cells][of x, of the output][4], shifted as sums are, and doubled


def plan(node: NodeView, params: type[DspParams] = DspParams) -> Plan | Refused:
    """Plan for weights that fit in pairs, with copies of rows that are no whole words."""
    matrices = [by_cells(FACTS[name](node)) for name in MATRICES]
    if refused := refused_pairs(matrices, params):
        return refused
    if any(part_of_inputs(each, i8.limits) < each.shape[1] for each in matrices):
        return BEYOND_24_BITS
    if any(np.any(sums << max(shift, 0) >= 1 << 30) for _, sums, shift in sum_bounds(node)):
        return BEYOND_31_BITS
    depth, cells = FACTS["depth"](node), FACTS["cells"](node)
    padded = {"padded_depth": whole_words(depth), "padded_cells": whole_words(cells)}
    made = of_facts(params, node, FACTS, **padded)
    scratch = {"x": copied_words(depth), "h": copied_words(cells)}
    return Plan(made, partial(_tables, node, params), scratch)


def _tables(node: NodeView, params: type) -> DspTables:
    matrices = [by_cells(FACTS[name](node)) for name in MATRICES]
    weights, recurrent = (packed_rows(params, matrix) for matrix in matrices)
    sums = zip(("bias", "recurrent_bias"), ("x_shift", "h_shift"), matrices, strict=True)
    biases = [_doubled(node, *each) for each in sums]
    return DspTables(weights, recurrent, np.stack(biases, axis=1))


def _doubled(node: NodeView, bias: str, shifts: str, weights: Array) -> NDArray[np.int32]:
    left = 1 + np.maximum(FACTS[shifts](node), 0)
    biases = (by_cells(FACTS[bias](node)) - added_by_rows(weights)).reshape(-1, len(GATES))
    return np.asarray(biases << left, np.int64).astype(np.int32)  # wraps, as sums do


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    DspTables,
    scratch={"x": i8, "h": i8},
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words, and of the last output
    cost=instructions(macs, 1.14, 555.0),
    code=Code(540, general=2790 + 844, slowdown=1.2, shared=SHARED),
)
UNPAIRED = unpaired("unidirectional_sequence_lstm/i8", DSP)
KERNELS = (DSP, UNPAIRED)
