"""BatchMatMul of int8 by single.h: sums times a factor in single precision, on every core."""

from opsmith.op import *

from .operands import macs
from .sums import SingleSums, row_distances, single_sums

SINGLE = Kernel(
    "single",
    SingleSums,
    every_node(single_sums, overlap=row_distances),
    numerics=OTHER_RULES,
    cost=instructions(macs, 8.0, 60.0),
)
KERNELS = (KernelsFor({"A": i8, "B": i8, "Y": i8}, (SINGLE,)),)
