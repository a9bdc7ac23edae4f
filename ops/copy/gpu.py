"""Copy on a GPU."""

from __future__ import annotations

from opsmith.op import EVERY, KernelsFor
from opsmith.runtimes.gpu.movement import bound

KERNELS = (KernelsFor(EVERY, (bound("copy"),)),)
