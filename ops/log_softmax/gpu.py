"""LogSoftmax kernels on a GPU: work-items share a row."""

from opsmith.op import KernelsFor, f32, i8, i32, u8
from runtimes.gpu.kernel import each_row, limits, of_reference

KERNELS = (
    *(KernelsFor({"T": t}, (of_reference(each_row(i32), defines=limits(t)),)) for t in (i8, u8)),
    KernelsFor({"T": f32}, (of_reference(each_row(f32), "gpu_floats"),)),
)
