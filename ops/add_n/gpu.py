"""AddN kernels on a GPU."""

from opsmith.op import KernelsFor, f32, i8, i32
from runtimes.gpu.kernel import of_reference

SUMS = {i32: "wrapping_sum", f32: "REAL_SUM_OF_TWO"}  # names of functions and macros of gpu.cl
KERNELS = (
    *(
        KernelsFor({"T": dtype}, (of_reference(defines={"SUM": function}),))
        for dtype, function in SUMS.items()
    ),
    KernelsFor({"T": i8}, (of_reference(name="gpu_bytes"),)),
)
