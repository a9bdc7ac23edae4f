"""RealMul kernel on a GPU."""

from opsmith.op import KernelsFor, i8
from runtimes.gpu.binary import on_pairs

KERNELS = (KernelsFor({"T": i8}, (on_pairs("real", F="wrapping_product"),)),)
