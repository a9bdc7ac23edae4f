"""Mean kernels of float32 by vectors of runtimes/simd/reduction.h."""

from functools import partial

from opsmith.op import KernelsFor, f32
from opsmith.runtimes.simd.reduction import reduced

KERNELS = (KernelsFor({"T": f32}, (partial(reduced, struct="Mean"),)),)
