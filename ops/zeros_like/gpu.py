"""ZerosLike kernels on a GPU."""

from opsmith.op import KernelsFor, f32, i8, i32, i64
from runtimes.gpu.unary import each

KERNELS = tuple(KernelsFor({"T": dtype}, (each("ZERO"),)) for dtype in (i8, i32, i64, f32))
