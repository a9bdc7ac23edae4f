"""Kernels of unary.cl that look elements up in a table."""

from opsmith.op import KernelsFor
from runtimes.gpu.kernel import of_reference

KERNELS = tuple(
    KernelsFor(kind, (of_reference(file="unary.cl"),)) for kind in ("bytes", "halfwords")
)
