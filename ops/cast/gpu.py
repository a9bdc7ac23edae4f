"""Cast kernels on a GPU."""

from itertools import product

from opsmith.op import Kernel, KernelsFor, Variant, boolean, f32
from runtimes.gpu.kernel import limits
from runtimes.gpu.unary import each

from .op import TYPES


def converted(variant: Variant) -> Kernel:
    """Kernel of unary.cl; conversions of floats saturate, as in LiteRT."""
    x, y = variant.types["T"], variant.types["U"]
    if y == boolean:
        return each("NOT_ZERO", "U")(variant)
    if x != f32 or y == f32:
        return each("CONVERTED", "U")(variant)
    beyond = f"{float(2 ** y.limits[1].bit_length()).hex()}f"
    return each("REAL_SATURATED", "U", {**limits(y), "BEYOND": beyond})(variant)


KERNELS = tuple(KernelsFor({"T": x, "U": y}, (converted,)) for x, y in product(TYPES, TYPES))
