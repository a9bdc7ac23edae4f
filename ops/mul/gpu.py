"""Mul kernels of int8 on a GPU, for rules that round a product once."""

from opsmith.op import KernelsFor, i8
from runtimes.gpu.kernel import of_reference

from .rules import SINGLE

KERNELS = (KernelsFor({"T": i8}, (of_reference(name="gpu_single", of=SINGLE),)),)
