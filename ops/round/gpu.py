"""Round on a GPU."""

from __future__ import annotations

from opsmith.op import KernelsFor, f32
from opsmith.runtimes.gpu.unary import each

KERNELS = (KernelsFor({"T": f32}, (each("ROUNDED_TO_EVEN"),)),)
