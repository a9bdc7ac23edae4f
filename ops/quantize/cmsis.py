"""Quantize kernels from float32 for the FPU: beside Helium, and with the DSP extension."""

from opsmith.op import Code, KernelsFor, f32, i8, u8
from runtimes.cmsis.fpu_bytes import scale_problem
from runtimes.cmsis.kernel import of_reference

CODE = Code(instance=100, general=200, slowdown=1.1)
FPU = of_reference("fpu", 10.0, requires={"fpu", "mve"})
FIXED = of_reference("fixed", 13.0, scale_problem, requires={"fpu", "dsp"}, code=CODE)
KERNELS = (
    KernelsFor({"T": f32}, (FPU,)),
    *(KernelsFor({"T": f32, "U": dtype}, (FIXED,)) for dtype in (i8, u8)),
)
