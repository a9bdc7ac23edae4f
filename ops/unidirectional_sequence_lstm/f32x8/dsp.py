"""LSTM of float32 by int8 weights by dsp.h: eight rows of gates at a time."""

from opsmith.op import *
from runtimes.cmsis.dsp_dynamic_range import ROW_OF_REALS, by_rows
from runtimes.cmsis.dsp_packing import UNPAIRED, part_of_inputs, unpaired
from runtimes.cmsis.dsp_padding import PaddedRows, products_of_parts, whole_words

from ..cell import macs
from . import FACTS, Params, gate_rows


@dataclass(frozen=True, kw_only=True)
class DspParams(PaddedRows, Params):
    """Sizes, the bound of cells, the quantisation of rows, and inputs whose sums fit 24 bits."""

    padded_cells: int  # elements of the previous output, filled up to whole words
    x_part: int
    h_part: int


@dataclass(frozen=True)
class DspTables:
    """Weights of all gates by eight rows, and struct RealRow of each row."""

    weights: NDArray[np.int8]  # as by_rows() makes them
    constants: NDArray[np.int32]
    recurrent: NDArray[np.int8]
    recurrent_constants: NDArray[np.int32]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for weights that fit in pairs."""
    rows = gate_rows(node)
    if any(unpaired(each.weights).any() for each in rows):
        return UNPAIRED
    parts = [part_of_inputs(each.weights, i8.limits) for each in rows]
    padded = [whole_words(each.weights.shape[1]) for each in rows]
    sizes = {"padded_depth": padded[0], "padded_cells": padded[1]}
    params = of_facts(DspParams, node, FACTS, **sizes, x_part=parts[0], h_part=parts[1])
    gates = len(rows[0].weights)
    scratch = {
        "row": max(padded),
        "products": max(map(products_of_parts, padded, parts)),
        "of_x": gates,
        "of_h": gates,
    }
    return Plan(
        params, lambda: DspTables(*by_rows(rows[0], parts[0]), *by_rows(rows[1], parts[1])), scratch
    )


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    DspTables,
    scratch={"row": i8, "products": i32, "of_x": f32, "of_h": f32},
    requires={"dsp", "fpu"},
    cost=instructions(macs, 1.2, 780.0),
    code=Code(500, general=1000 + 2690, shared=ROW_OF_REALS),
)
KERNELS = (DSP,)
