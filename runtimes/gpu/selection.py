"""Kernel of binary.cl that takes each element of one of two tensors."""

from __future__ import annotations

from opsmith.op import Kernel, KernelsFor, Variant
from opsmith.runtimes.gpu.kernel import of_family


def chosen(variant: Variant) -> Kernel:
    """Kernel with the arguments of the definition."""
    definition = variant.kernels[-1]
    return of_family(definition, "binary.cl", "chosen", definition.arguments)


KERNELS = (KernelsFor("chosen", (chosen,)),)
