"""PReLU kernels of integers for Helium."""

from opsmith.op import KernelsFor, i8, i16, u8
from runtimes.cmsis.kernel import of_reference

KERNELS = tuple(KernelsFor({"T": a}, (of_reference("mve", 6.0),)) for a in (i8, u8, i16))
