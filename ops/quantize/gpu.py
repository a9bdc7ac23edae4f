"""Quantize kernel from float32 on a GPU."""

from opsmith.op import KernelsFor, f32, i8, i16, u8
from runtimes.gpu.kernel import of_reference

KERNELS = tuple(KernelsFor({"T": f32, "U": y}, (of_reference(),)) for y in (i8, u8, i16))
