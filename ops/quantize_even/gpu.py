"""QuantizeEven kernel on a GPU."""

from opsmith.op import KernelsFor, f32, i8
from runtimes.gpu.kernel import of_reference

KERNELS = (KernelsFor({"T": f32, "U": i8}, (of_reference(),)),)
