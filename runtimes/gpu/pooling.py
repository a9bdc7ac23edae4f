"""Kernel of pooling.cl: the largest or the mean element of windows, and the like."""

from collections.abc import Mapping
from typing import Any

from opsmith.op import Kernel, KernelsFor, Variant
from opsmith.runtimes.gpu.kernel import of_reference


def pool(variant: Variant) -> Kernel:
    """Kernel of the pool that the kind's facts, which are macros, name."""
    assert variant.kind is not None
    return _pool(variant, variant.kind.facts)


def even_average(variant: Variant) -> Kernel:
    """Kernel of means of int8 without their zero point, halves to even, as of `CentredPool`."""
    return _pool(variant, {"EVEN_AVERAGE": "1"})


def _pool(variant: Variant, macros: Mapping[str, Any]) -> Kernel:
    defines = {"Params": variant.kernels[-1].params.__name__, **macros}
    arguments = ("p", "in.x", "out.y")
    made = of_reference(file="pooling.cl", function="pool", arguments=arguments, defines=defines)
    return made(variant)


KERNELS = (KernelsFor("integers", (pool,)), KernelsFor("floats", (pool,)))
