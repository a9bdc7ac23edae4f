"""Bounded on a GPU."""

from opsmith.op import EVERY, KernelsFor
from runtimes.gpu.kernel import each_element, of_reference

KERNELS = (KernelsFor(EVERY, (of_reference(each_element),)),)
