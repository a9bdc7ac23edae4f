"""Copy on a GPU."""

from __future__ import annotations

from opsmith.op import EVERY, KernelsFor
from opsmith.runtimes.gpu.kernel import of_reference
from opsmith.runtimes.gpu.movement import FILE

KERNELS = (KernelsFor(EVERY, (of_reference(file=FILE, function="copy"),)),)
