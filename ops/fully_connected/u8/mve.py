"""FullyConnected of uint8 by mve.h, for Helium: four channels at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import blocked, filled_rows, steps
from runtimes.core.dsp_requantization import NO_PRODUCT
from runtimes.core.high_product import HighProduct
from runtimes.families.matmul import MATMUL, row_overlap

from ..i8.mve import CHANNELS, MveTables, requantization
from .params import SummedSizes, lowered, lowered_bias, sum_factor


@dataclass(frozen=True, kw_only=True)
class MveParams(SummedSizes):
    """Sizes, bounds of y, steps of a row, and requantisation."""

    tail: int  # inputs before the first whole vector, or 0: 16
    full_steps: int  # vectors of inputs after these
    left: int
    right: int


def plan(node: NodeView) -> Plan | Refused:
    """Plan for sums with proved thresholds."""
    lifted = MATMUL.lifted_rows(node)
    found = requantization(node, lifted, lowered_bias(node), i8.limits)
    if found is None:
        return NO_PRODUCT
    tail, full_steps = steps(lifted.shape[1])
    shifts = {"left": found.left, "right": found.right, "sum_factor": sum_factor(node)}
    return Plan(
        MATMUL.params(MveParams, node, tail=tail, full_steps=full_steps, **shifts),
        partial(_tables, node, found),
        {"row": lifted.shape[1]},
        partial(row_overlap, node, CHANNELS),
    )


def _tables(node: NodeView, found: HighProduct) -> MveTables:
    weights = lowered(MATMUL.lifted_rows(node), node)
    packed = blocked(weights, weights.shape[1])
    return MveTables(packed, found.multiplier, filled_rows(found.offset, CHANNELS))


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    scratch={"row": i8},
    requires={"mve"},
    cost=MATMUL.cost(0.13, 13.0),
)
KERNELS = (MVE,)
