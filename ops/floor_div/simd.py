"""FloorDiv of float32 by simd.h: quotients in vectors of doubles."""

from opsmith.op import KernelsFor, f32
from runtimes.simd.binary import rows_of_floats

KERNELS = (KernelsFor({"T": f32}, (rows_of_floats("ops/floor_div/simd.h", "floor_div", 1.5),)),)
