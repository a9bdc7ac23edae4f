"""LSTM of int8 by mve.h, for Helium: the four gates of a cell at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import blocked, steps

from ..cell import SIZES, by_cells, macs
from .params import FACTS, Params

MATRICES = ("weights", "recurrent")
BY_CELLS = (*MATRICES, "bias", "recurrent_bias")


@dataclass(frozen=True, kw_only=True)
class MveParams(Params):
    """Sizes, requantisation of sums, and steps of x and of the previous output."""

    x_tail: int  # inputs before the first whole vector, or 0: 16
    x_steps: int  # vectors of inputs after these
    h_tail: int
    h_steps: int


@dataclass(frozen=True)
class MveTables:
    """Weights, biases, multipliers and shifts: the four gates of each cell together."""

    weights: NDArray[np.int8]  # [cells][step][4][inputs]
    recurrent: NDArray[np.int8]
    bias: NDArray[np.int32]  # [cells][4]
    recurrent_bias: NDArray[np.int32]
    multipliers: NDArray[np.int32]  # of x, then of the previous output: [2][4], Q31
    shifts: NDArray[np.int32]  # to the left


def plan(node: NodeView) -> Plan:
    """Plan for every node."""
    (x_tail, x_steps), (h_tail, h_steps) = (steps(SIZES[name](node)) for name in ("depth", "cells"))
    vectors = {"x_tail": x_tail, "x_steps": x_steps, "h_tail": h_tail, "h_steps": h_steps}
    return Plan(of_facts(MveParams, node, FACTS, **vectors), partial(_tables, node))


def _tables(node: NodeView) -> MveTables:
    constants = {name: by_cells(FACTS[name](node)) for name in BY_CELLS}
    packed = {name: blocked(constants[name], constants[name].shape[1]) for name in MATRICES}
    multipliers, shifts = (
        np.array([FACTS[f"{name}_{kind}"](node) for name in "xh"], np.int32)
        for kind in ("multiplier", "shift")
    )
    return MveTables(**(constants | packed), multipliers=multipliers, shifts=shifts)


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    requires={"mve"},
    cost=instructions(macs, 0.2, 340.0),
)
KERNELS = (MVE,)
