"""BroadcastArgs on a GPU."""

from __future__ import annotations

from opsmith.runtimes.gpu.kernel import of_reference

KERNELS = (of_reference(),)
