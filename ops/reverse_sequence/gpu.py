"""ReverseSequence kernels on a GPU."""

from runtimes.gpu.kernel import of_reference

KERNELS = (of_reference(),)
