"""Log of float32 in single precision."""

from __future__ import annotations

from opsmith.op import KernelsFor, f32
from opsmith.runtimes.families.unary import single_precision

KERNELS = (KernelsFor({"T": f32}, (single_precision(cost=70.0, ulps=1),)),)
