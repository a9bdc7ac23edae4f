"""LSTM of int16 by mve.h, for Helium: the four gates of a cell at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import blocked

from ..cell import by_cells, macs
from .narrow import MATRICES, NarrowGateSums, narrow_sums
from .params import FACTS, Cells

VECTOR = 8  # inputs


@dataclass(frozen=True, kw_only=True)
class MveParams(Cells):
    """Sizes, and requantisation of products and states."""


@dataclass(frozen=True)
class MveTables:
    """Weights, biases, multipliers and samples: the four gates of each cell together."""

    weights: NDArray[np.int8]  # [cells][step][4][inputs]
    recurrent: NDArray[np.int8]
    bias: NDArray[np.int32]  # [cells][4]
    multipliers: NDArray[np.int32]  # of sums of x, then of the previous output: [2][4], Q32
    samples: NDArray[np.uint16]  # of the logistic function, times 2^16


def plan(node: NodeView) -> Plan | Refused:
    """Plan for sums of 32 bits."""
    found = narrow_sums(node)
    if isinstance(found, Refused):
        return found
    return Plan(of_facts(MveParams, node, FACTS), partial(_tables, node, found))


def _tables(node: NodeView, found: NarrowGateSums) -> MveTables:
    rows = (by_cells(FACTS[name](node)) for name in MATRICES)
    weights, recurrent = (blocked(each, each.shape[1], VECTOR) for each in rows)
    multipliers = np.array([found.x_multiplier, found.h_multiplier], np.int32)
    return MveTables(weights, recurrent, found.bias, multipliers, FACTS["samples"](node))


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    requires={"mve"},
    copies=("memset",),  # of sums of gates
    cost=instructions(macs, 0.33, 167.0),
)
KERNELS = (MVE,)
