"""LogicalNot on a GPU."""

from __future__ import annotations

from opsmith.op import KernelsFor, boolean
from opsmith.runtimes.gpu.unary import each

KERNELS = (KernelsFor({"T": boolean}, (each("LOGICAL_NOT"),)),)
