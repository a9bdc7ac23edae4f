"""Neg on a GPU."""

from __future__ import annotations

from opsmith.op import KernelsFor, f32, i8, i16, i32, i64
from opsmith.runtimes.gpu.unary import each

KERNELS = (
    *(KernelsFor({"T": dtype}, (each("NEGATED"),)) for dtype in (i8, i16, i32, i64)),
    KernelsFor({"T": f32}, (each("REAL_NEGATED"),)),
)
