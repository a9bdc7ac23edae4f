"""Kernels of unary.cl that look elements up in a table."""

from __future__ import annotations

from opsmith.op import Kernel, KernelsFor, Variant
from opsmith.runtimes.gpu.kernel import of_family


def looked_up(variant: Variant) -> Kernel:
    """Kernel of the same name as the kind, with the arguments of the definition."""
    definition = variant.kernels[-1]
    assert variant.kind is not None
    return of_family(definition, "unary.cl", variant.kind.name, definition.arguments)


KERNELS = (KernelsFor("bytes", (looked_up,)), KernelsFor("halfwords", (looked_up,)))
