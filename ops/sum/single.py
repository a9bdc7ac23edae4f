"""Sum kernel of int8 by a float32 factor."""

from opsmith.op import *
from runtimes.families.reduction import SingleAxes, reducing, single_axes

SINGLE = Kernel(
    "single",
    SingleAxes,
    every_node(partial(single_axes, mean=False)),
    numerics=OTHER_RULES,
    cost=reducing(3.9, 200.0),
)
