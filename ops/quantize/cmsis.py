"""Quantize from float32 by an FPU beside Helium."""

from opsmith.op import KernelsFor, f32
from opsmith.runtimes.cmsis.kernel import of_reference

KERNELS = (KernelsFor({"T": f32}, (of_reference("fpu", 10.0, requires={"fpu", "mve"}),)),)
