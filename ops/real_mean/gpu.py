"""RealMean kernels on a GPU."""

from opsmith.op import KernelsFor, i8
from runtimes.gpu.reduction import stepped_sums

KERNELS = (KernelsFor({"T": i8}, (stepped_sums,)),)
