"""ScatterND kernels on a GPU."""

from opsmith.op import KernelsFor, boolean, f32, i8, i32, i64, u8
from runtimes.gpu.kernel import of_reference

SUMS = {
    boolean: "EITHER",
    f32: "REAL_SUM",
    **dict.fromkeys((i8, i32, i64, u8), "WRAPPING_SUM"),
}  # names of functions and macros of gpu.cl
KERNELS = tuple(
    KernelsFor({"T": dtype}, (of_reference(defines={"SUM": function}),))
    for dtype, function in SUMS.items()
)
