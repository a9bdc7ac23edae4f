"""Softmax of int8 and int16 by Helium."""

from opsmith.op import KernelsFor, i8, i16
from opsmith.op.cost import instructions
from opsmith.runtimes.cmsis.kernel import of_reference
from opsmith.runtimes.families.params import row_count

COSTS = {i8: (190.0, 4.0), i16: (100.0, 6.0)}  # instructions for each row and each element
KERNELS = tuple(
    KernelsFor({"T": dtype, "U": dtype}, (of_reference("mve", instructions(row_count, *cost)),))
    for dtype, cost in COSTS.items()
)
