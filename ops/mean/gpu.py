"""Mean kernels on a GPU."""

from opsmith.op import KernelsFor, f32, i8, i16, i32, i64, u8
from runtimes.gpu.reduction import REAL_MEANS, quotients, scaled_sums, single_sums

from .rules import SINGLE

KERNELS = (
    *(KernelsFor({"T": t}, (scaled_sums(t, "output_zero_point"),)) for t in (i8, u8, i16)),
    *(KernelsFor({"T": t}, (quotients,)) for t in (i32, i64)),
    KernelsFor({"T": i8}, (single_sums(SINGLE, i8),)),
    KernelsFor({"T": f32}, (REAL_MEANS,)),
)
