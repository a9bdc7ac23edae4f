"""SVDF of float32 by int8 weights by dsp.h: the features of eight filters at a time."""

from opsmith.op import *
from runtimes.cmsis.dsp_dynamic_range import ROW_OF_REALS, by_rows
from runtimes.cmsis.dsp_packing import UNPAIRED, part_of_inputs, unpaired
from runtimes.cmsis.dsp_padding import PaddedRows, products_of_parts, whole_words
from runtimes.families.dynamic_range import WeightRows

from . import FACTS, Params, feature_rows, products


@dataclass(frozen=True, kw_only=True)
class DspParams(PaddedRows, Params):
    """Sizes, bounds of y, quantisation, and inputs whose sums fit 24 bits."""

    part: int


@dataclass(frozen=True)
class DspTables:
    """Features by eight filters, struct RealRow of each, weights over time, and biases."""

    features: NDArray[np.int8]  # as by_rows() makes them
    constants: NDArray[np.int32]
    time: NDArray[np.int8]  # [filters][memory]
    bias: NDArray[np.float32]  # [units]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for features that fit in pairs."""
    rows = feature_rows(node)
    if unpaired(rows.weights).any():
        return UNPAIRED
    part, padded = part_of_inputs(rows.weights, i8.limits), whole_words(rows.weights.shape[1])
    scratch = {
        "row": padded,
        "products": products_of_parts(padded, part),
        "latest": len(rows.weights),
    }
    params = of_facts(DspParams, node, FACTS, padded_depth=padded, part=part)
    return Plan(params, partial(_tables, node, rows, part), scratch)


def _tables(node: NodeView, rows: WeightRows, part: int) -> DspTables:
    features, constants = by_rows(rows, part)
    return of_facts(DspTables, node, FACTS, features=features, constants=constants)


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    DspTables,
    scratch={"row": i8, "products": i32, "latest": f32},
    requires={"dsp", "fpu"},
    copies=("memmove",),  # of states by one step
    cost=products(1.1, 30.0),
    code=Code(400, general=700 + 2690, shared=ROW_OF_REALS),
)
KERNELS = (DSP,)
