"""ReduceProd kernel of quantised elements on a GPU."""

from opsmith.op import *
from runtimes.gpu.kernel import limits, of_reference
from runtimes.gpu.reduction import ARGUMENTS, FILE


def products(dtype: DType) -> Callable[[Variant], Kernel]:
    """Maker of a kernel that rescales after each multiplication."""
    function, arguments = "quantised_products", ARGUMENTS[:3]
    defines = limits(dtype)
    return of_reference(file=FILE, function=function, arguments=arguments, defines=defines)


KERNELS = tuple(KernelsFor({"T": dtype}, (products(dtype),)) for dtype in (i8, i16))
