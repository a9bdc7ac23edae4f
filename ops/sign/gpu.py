"""Sign on a GPU, of float32 and int32."""

from __future__ import annotations

from opsmith.op import KernelsFor, f32, i32
from opsmith.runtimes.gpu.unary import each

KERNELS = tuple(KernelsFor({"T": dtype}, (each("SIGN"),)) for dtype in (f32, i32))
