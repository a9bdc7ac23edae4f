"""BroadcastArgs on a GPU."""

from __future__ import annotations

from opsmith.op import EVERY, KernelsFor
from opsmith.runtimes.gpu.kernel import of_reference

KERNELS = (KernelsFor(EVERY, (of_reference(),)),)
