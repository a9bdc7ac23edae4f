"""Sum kernel of int8 by a float32 factor, and the cost of sums."""

from opsmith.op import *
from opsmith.runtimes.families.reduction import SingleAxes, single_axes


def added(per_element: float, per_sum: float) -> Callable[[NodeView], float]:
    """Cost of a sum: instructions for each element of x and each element of y."""
    return instructions(lambda node: node["x"].elements, per_element, per_sum)


SINGLE = Kernel(
    "single",
    SingleAxes,
    every_node(partial(single_axes, mean=False)),
    numerics=OTHER_RULES,
    cost=added(3.9, 200.0),
)
