"""Sqrt kernel of int16 on a GPU."""

from opsmith.op import KernelsFor, i16
from runtimes.gpu.kernel import of_reference

KERNELS = (KernelsFor({"T": i16}, (of_reference(),)),)
