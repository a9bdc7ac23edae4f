"""Kernels of pooling.cl: largest or mean elements of windows, and similar pools."""

from opsmith.op import *
from runtimes.gpu.kernel import of_reference


def pool(variant: Variant) -> Kernel:
    """Kernel of the pool that the facts of the variant's kind, which are macros, select."""
    assert variant.kind is not None
    return _pool(variant, variant.kind.facts)


def even_average(variant: Variant) -> Kernel:
    """Kernel of int8 means without zero points, halves to even, as of `CentredPool`."""
    return _pool(variant, {"EVEN_AVERAGE": "1"})


def _pool(variant: Variant, macros: Mapping[str, Any]) -> Kernel:
    defines = {"Params": variant.kernels[-1].params.__name__, **macros}
    arguments = ("p", "in.x", "out.y")
    made = of_reference(file="pooling.cl", function="pool", arguments=arguments, defines=defines)
    return made(variant)


KERNELS = (KernelsFor("integers", (pool,)), KernelsFor("floats", (pool,)))
