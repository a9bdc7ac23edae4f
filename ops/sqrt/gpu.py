"""Sqrt on a GPU, of int16 and float32."""

from __future__ import annotations

from opsmith.op import KernelsFor, f32, i16
from opsmith.runtimes.gpu.kernel import of_reference

KERNELS = (
    KernelsFor({"T": i16}, (of_reference(name="gpu_halfwords"),)),
    KernelsFor({"T": f32}, (of_reference(),)),
)
