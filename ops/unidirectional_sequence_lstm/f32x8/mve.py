"""LSTM of float32 by int8 weights by mve.h, for Helium: four rows of gates at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_dynamic_range import (
    RANGED,
    UNBOUNDED,
    real_bounds,
    real_fours,
    refused_constants,
)
from runtimes.cmsis.mve_packing import VECTOR, blocked, steps

from ..cell import macs
from . import FACTS, Params, gate_rows


@dataclass(frozen=True, kw_only=True)
class MveParams(Params):
    """Sizes, bound of cells, quantisation of rows, and steps of x and of the previous output."""

    x_tail: int  # inputs before the first whole vector, or 0: 16
    x_steps: int  # vectors of inputs after these
    h_tail: int
    h_steps: int


@dataclass(frozen=True)
class MveTables:
    """Weights of all gates in blocks of four rows, constants and bounds."""

    weights: NDArray[np.int8]  # [cells][step][4][inputs]
    constants: NDArray[np.int32]  # as real_fours() makes them
    bounds: NDArray[np.float32]  # as real_bounds() makes them
    recurrent: NDArray[np.int8]
    recurrent_constants: NDArray[np.int32]
    recurrent_bounds: NDArray[np.float32]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for usual scales and biases."""
    rows = gate_rows(node)
    for each in rows:
        if refused := refused_constants(each):
            return refused
    (x_tail, x_steps), (h_tail, h_steps) = (steps(each.weights.shape[1]) for each in rows)
    vectors = {"x_tail": x_tail, "x_steps": x_steps, "h_tail": h_tail, "h_steps": h_steps}
    longest = max(each.weights.shape[1] for each in rows)
    gates = len(rows[0].weights)
    scratch = {"row": longest + VECTOR, "of_x": gates, "of_h": gates}
    return Plan(of_facts(MveParams, node, FACTS, **vectors), partial(_tables, node), scratch)


def _tables(node: NodeView) -> MveTables:
    made: list[Array] = []
    for rows in gate_rows(node):
        packed = blocked(rows.weights, rows.weights.shape[1])
        made += packed, real_fours(rows), real_bounds(rows, UNBOUNDED)
    return MveTables(*made)


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    scratch={"row": i8, "of_x": f32, "of_h": f32},
    requires={"mve", "mve_float"},
    copies=("memcpy",),
    cost=instructions(macs, 0.1, 320.0),
    code=Code(1900, general=2400 + 896, shared=RANGED),
)
KERNELS = (MVE,)
