"""Copy on a GPU."""

from __future__ import annotations

from opsmith.runtimes.gpu.movement import bound

from opsmith.op import EVERY, KernelsFor

KERNELS = (KernelsFor(EVERY, (bound("copy"),)),)
