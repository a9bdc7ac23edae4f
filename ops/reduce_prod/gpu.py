"""ReduceProd on a GPU, of quantised elements."""

from __future__ import annotations

from opsmith.op import Kernel, KernelsFor, Variant, i8, i16
from opsmith.runtimes.gpu.kernel import limits, of_family
from opsmith.runtimes.gpu.reduction import ARGUMENTS


def products(variant: Variant) -> Kernel:
    """Kernel that scales after each multiplication."""
    definition, defines = variant.kernels[-1], limits(variant.types["T"])
    file, function = "reduction.cl", "quantised_products"
    return of_family(definition, file, function, ARGUMENTS[:3], defines=defines)


KERNELS = tuple(KernelsFor({"T": dtype}, (products,)) for dtype in (i8, i16))
