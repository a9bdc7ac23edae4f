"""Kernels of mve_lookup.h and thumb2_lookup.h: elements are read from tables."""

from opsmith.op import *
from runtimes.cmsis.kernel import of_reference


def _kernel(name: str, function: str, cost: float, **others: Any) -> KernelsFor:
    """Kernel of NAME_lookup.h for functions of the reference, with its cost for each element and
    further fields of Kernel.
    """
    kernel = of_reference(
        name,
        cost,
        header=f"runtimes/cmsis/{name}_lookup.h",
        function=f"opsmith::{name}::{function}",
        arguments=("p", "tables.values", "in.x", "out.y"),
        **others,
    )
    return KernelsFor(function, (kernel,))


KERNELS = (
    _kernel("mve", "bytes", 0.3),
    _kernel("mve", "halfwords", 1.8),
    _kernel("thumb2", "bytes", 3.9, code=Code(instance=110, general=140, slowdown=1.0)),
)
