"""Kernel of pooling.cl: the largest or the mean element of windows, and the like."""

from __future__ import annotations

from opsmith.op import Kernel, KernelsFor, Variant
from opsmith.runtimes.gpu.kernel import of_family


def pool(variant: Variant) -> Kernel:
    """Kernel of the pool that the kind's facts, which are macros, name."""
    definition = variant.kernels[-1]
    assert variant.kind is not None
    defines = {"Params": definition.params.__name__, **variant.kind.facts}
    return of_family(definition, "pooling.cl", "pool", ("p", "in.x", "out.y"), defines=defines)


KERNELS = (KernelsFor("integers", (pool,)), KernelsFor("floats", (pool,)))
