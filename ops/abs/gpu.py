"""Abs kernels of int16 and int32 on a GPU."""

from opsmith.op import KernelsFor, i16, i32
from runtimes.gpu.kernel import of_reference
from runtimes.gpu.unary import each

KERNELS = (
    KernelsFor({"T": i16}, (of_reference(),)),
    KernelsFor({"T": i32}, (each("ABSOLUTE"),)),
)
