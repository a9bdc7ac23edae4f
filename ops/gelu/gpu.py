"""GELU on a GPU, of float32."""

from opsmith.op import KernelsFor, f32
from opsmith.runtimes.gpu.kernel import of_reference

KERNELS = (KernelsFor({"T": f32}, (of_reference(),)),)
