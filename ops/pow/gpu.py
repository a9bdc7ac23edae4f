"""Pow kernels on a GPU."""

from opsmith.op import KernelsFor, f32, i32
from runtimes.gpu.kernel import of_reference

KERNELS = (
    KernelsFor({"T": i32}, (of_reference(),)),
    KernelsFor({"T": f32}, (of_reference(name="gpu_floats"),)),
)
