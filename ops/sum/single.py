"""The kernel of Sum of int8 by a factor in single precision, and what sums cost."""

from collections.abc import Callable
from functools import partial

from opsmith.op import OTHER_RULES, Kernel, NodeView, every_node
from opsmith.op.cost import instructions
from opsmith.runtimes.families.reduction import SingleAxes, single_axes


def added(per_element: float, per_sum: float) -> Callable[[NodeView], float]:
    """The cost of a sum: instructions for each element of x plus those for each of y."""
    return instructions(lambda node: node["x"].elements, per_element, per_sum)


SINGLE = Kernel(
    "single",
    SingleAxes,
    every_node(partial(single_axes, mean=False)),
    numerics=OTHER_RULES,
    cost=added(3.9, 200.0),
)
