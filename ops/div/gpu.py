"""Div kernels on a GPU."""

from opsmith.op import KernelsFor, i8, i16, i32, u8
from runtimes.gpu.kernel import of_reference

KERNELS = (
    *(KernelsFor({"T": dtype}, (of_reference(),)) for dtype in (i8, u8, i16)),
    KernelsFor({"T": i32}, (of_reference(name="gpu_integers"),)),
)
