"""Sum kernels of quantised elements on a GPU."""

from opsmith.op import KernelsFor, i8, i16, u8
from runtimes.gpu.reduction import scaled_sums, single_sums

from .single import SINGLE

KERNELS = (
    *(KernelsFor({"T": dtype}, (scaled_sums(dtype),)) for dtype in (i8, u8, i16)),
    KernelsFor({"T": i8}, (single_sums(SINGLE, i8),)),
)
