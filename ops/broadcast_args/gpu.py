"""BroadcastArgs kernels on a GPU."""

from opsmith.runtimes.gpu.kernel import of_reference

KERNELS = (of_reference(),)
