"""RealAveragePool2D kernel on a GPU."""

from opsmith.op import KernelsFor, i8
from runtimes.gpu.pooling import even_average

KERNELS = (KernelsFor({"T": i8}, (even_average,)),)
