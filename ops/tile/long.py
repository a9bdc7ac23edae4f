"""Tile kernels for walks of up to eight loops, and for two loops for each of eight axes."""

from opsmith.op import *
from runtimes.families.walk import MAX_AXES, GatherParams, WalkOf, gathered

AXES = 2 * MAX_AXES
COST = per_element(6.0)  # an estimate: a load, a store and the innermost loops
LONG_COST = per_element(8.0)  # the same with more loops around
Sixteen = Annotated[tuple[int, ...], i32, AXES]


@dataclass(frozen=True)
class LongGatherParams:
    """Places in x of the elements of y, along twice as many axes as usual."""

    first: int  # element of x that is the first of y
    size: Sixteen  # of y, with leading ones
    step: Sixteen  # elements of x from one of y to the next along each axis


def kernels(walk: WalkOf) -> tuple[Kernel, ...]:
    """Kernels for walks of few loops, and of all."""
    reference = gathered(walk, LongGatherParams, AXES, cost=LONG_COST)
    few = gathered(walk, GatherParams, MAX_AXES, "few_axes", COST)
    return few, reference
