"""Kernel of binary.cl that takes each element from one of two tensors."""

from opsmith.op import KernelsFor
from runtimes.gpu.kernel import of_reference

KERNELS = (KernelsFor("chosen", (of_reference(file="binary.cl"),)),)
