"""FullyConnected of float32 by int8 weights by mve.h, for Helium: four channels at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_dynamic_range import (
    RANGED,
    UNBOUNDED,
    real_bounds,
    real_fours,
    refused_constants,
)
from runtimes.cmsis.mve_packing import VECTOR, blocked, steps
from runtimes.core.vector_activation import NUMBERS
from runtimes.families.dynamic_range import real_rows
from runtimes.families.matmul import MATMUL, row_overlap

from . import Params, has_negative_zero

BOUNDS = {"NONE": UNBOUNDED, "RELU": (0, np.inf), "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}
CYCLES = 1.1  # of a Cortex-M55, by instructions


@dataclass(frozen=True, kw_only=True)
class MveParams(Params):
    """Sizes, activation, quantisation of rows, a fact about biases, and steps of a row."""

    negative_zero: bool  # among the biases
    tail: int  # inputs before the first whole vector, or 0: 16
    full_steps: int  # vectors of inputs after these


@dataclass(frozen=True)
class MveTables:
    """Weights in blocks of four channels, and constants."""

    weights: NDArray[np.int8]  # [channels / 4][step][4][inputs]
    constants: NDArray[np.int32]  # as real_fours() makes them
    bounds: NDArray[np.float32]  # as real_bounds() makes them


def plan(node: NodeView) -> Plan | Refused:
    """Plan for usual scales and biases."""
    if refused := refused_constants(real_rows(MATMUL, node)):
        return refused
    tail, full_steps = steps(node["weights"].shape[1])
    params = MATMUL.params(
        MveParams,
        node,
        activation=NUMBERS[node.attributes["activation"]],
        negative_zero=has_negative_zero(node),
        tail=tail,
        full_steps=full_steps,
    )
    return Plan(
        params,
        partial(_tables, node),
        {"row": params.depth + VECTOR},
        partial(row_overlap, node, params.channels),
    )


def _tables(node: NodeView) -> MveTables:
    rows = real_rows(MATMUL, node)
    return MveTables(
        blocked(rows.weights, rows.weights.shape[1]),
        real_fours(rows),
        real_bounds(rows, BOUNDS[node.attributes["activation"]]),
    )


def cost(node: NodeView) -> float:
    """Cycles of products and outputs, by four channels, and of quantising rows."""
    channels, depth = node["weights"].shape
    tail, full_steps = steps(depth)
    rows, block = node["x"].elements // depth, (17 if tail else 9) + 10 * full_steps + 35
    return float(rows * (-(-channels // 4) * block + 250)) * CYCLES + 3.3 * node["x"].elements


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    scratch={"row": i8},
    requires={"mve", "mve_float"},
    copies=("memcpy",),
    cost=cost,
    code=Code(560, general=940 + 896, slowdown=1.02, shared=RANGED),
)
KERNELS = (MVE,)
