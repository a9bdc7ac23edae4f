"""L2Normalization kernels on a GPU: work-items share a row."""

from opsmith.op import KernelsFor, f32, i8, i32, u8
from runtimes.gpu.kernel import each_row, limits, of_reference

from .op import OUTPUT_BITS

BEFORE = ((i8, "0"), (u8, str(OUTPUT_BITS)))
KERNELS = (
    *(
        KernelsFor(
            {"T": dtype},
            (of_reference(each_row(i32), defines={**limits(dtype), "BITS_BEFORE": bits}),),
        )
        for dtype, bits in BEFORE
    ),
    KernelsFor({"T": f32}, (of_reference(each_row(f32), "gpu_floats"),)),
)
