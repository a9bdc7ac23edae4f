"""Rsqrt of float32 by the FPU, exactly."""

from __future__ import annotations

from opsmith.op import KernelsFor, f32
from opsmith.runtimes.cmsis.kernel import of_reference

KERNELS = (KernelsFor({"T": f32}, (of_reference("fpu", 11.0),)),)
