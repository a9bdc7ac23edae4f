"""ResizeBilinear of int8 by Helium."""

from opsmith.op import KernelsFor, i8
from opsmith.runtimes.cmsis.kernel import of_reference

KERNELS = (KernelsFor({"T": i8}, (of_reference("mve", 8.0),)),)
