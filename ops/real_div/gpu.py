"""RealDiv kernel on a GPU."""

from opsmith.op import KernelsFor, i8
from runtimes.gpu.kernel import of_reference

KERNELS = (KernelsFor({"T": i8}, (of_reference(),)),)
