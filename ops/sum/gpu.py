"""Sum on a GPU, of quantised elements."""

from opsmith.op import KernelsFor, i8, i16, u8
from opsmith.runtimes.gpu.reduction import scaled_sums

KERNELS = tuple(KernelsFor({"T": dtype}, (scaled_sums(dtype),)) for dtype in (i8, u8, i16))
