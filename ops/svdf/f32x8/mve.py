"""SVDF of float32 by int8 weights by mve.h, for Helium: the features of four filters at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_dynamic_range import (
    RANGED,
    UNBOUNDED,
    real_bounds,
    real_fours,
    refused_constants,
)
from runtimes.cmsis.mve_packing import VECTOR, blocked, steps

from . import FACTS, Params, feature_rows, products


@dataclass(frozen=True, kw_only=True)
class MveParams(Params):
    """Sizes, bounds of y, quantisation, and steps of x."""

    tail: int  # inputs before the first whole vector, or 0: 16
    full_steps: int  # vectors of inputs after these


@dataclass(frozen=True)
class MveTables:
    """Features in blocks of four filters, their constants, weights over time, and biases."""

    features: NDArray[np.int8]  # [filters / 4][step][4][inputs]
    constants: NDArray[np.int32]  # as real_fours() makes them
    bounds: NDArray[np.float32]  # as real_bounds() makes them
    time: NDArray[np.int8]  # [filters][memory]
    bias: NDArray[np.float32]  # [units]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for usual scales."""
    rows = feature_rows(node)
    if refused := refused_constants(rows):
        return refused
    filters, depth = rows.weights.shape
    tail, full_steps = steps(depth)
    params = of_facts(MveParams, node, FACTS, tail=tail, full_steps=full_steps)
    return Plan(params, partial(_tables, node), {"row": depth + VECTOR, "latest": filters})


def _tables(node: NodeView) -> MveTables:
    rows = feature_rows(node)
    return of_facts(
        MveTables,
        node,
        FACTS,
        features=blocked(rows.weights, rows.weights.shape[1]),
        constants=real_fours(rows),
        bounds=real_bounds(rows, UNBOUNDED),
    )


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    scratch={"row": i8, "latest": f32},
    requires={"mve", "mve_float"},
    copies=("memcpy", "memmove"),  # of a row, and of states by one step
    cost=products(0.1, 10.0),
    code=Code(500, general=900 + 896, shared=RANGED),
)
KERNELS = (MVE,)
