"""Neg kernels of integers on a GPU."""

from opsmith.op import KernelsFor, i8, i16, i32, i64
from runtimes.gpu.unary import each

KERNELS = tuple(KernelsFor({"T": dtype}, (each("NEGATED"),)) for dtype in (i8, i16, i32, i64))
