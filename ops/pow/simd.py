"""Pow of float32 by simd.h: powers and products in vectors."""

from opsmith.op import KernelsFor, f32
from runtimes.simd.binary import rows_of_floats

KERNELS = (KernelsFor({"T": f32}, (rows_of_floats("ops/pow/simd.h", "pow", 6.0),)),)
