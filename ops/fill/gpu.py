"""Fill kernels on a GPU, which has no float64."""

from opsmith.op import KernelsFor, f64
from runtimes.gpu.kernel import of_reference

from .op import OP

KERNELS = tuple(
    KernelsFor(variant.types, (of_reference(),))
    for variant in OP.variants
    if variant.types["T"] != f64
)
