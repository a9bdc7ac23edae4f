"""FloorMod kernels on a GPU."""

from opsmith.op import KernelsFor, f32, i8, i16, i32, i64
from runtimes.gpu.kernel import of_reference

KERNELS = (
    *(KernelsFor({"T": dtype}, (of_reference(),)) for dtype in (i8, i16, i32, i64)),
    KernelsFor({"T": f32}, (of_reference(name="gpu_floats"),)),
)
