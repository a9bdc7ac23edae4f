"""GELU kernel of float32 on a GPU."""

from opsmith.op import KernelsFor, f32
from runtimes.gpu.kernel import of_reference

KERNELS = (KernelsFor({"T": f32}, (of_reference(),)),)
