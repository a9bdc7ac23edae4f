"""SVDF kernel of int8 on a GPU: a work-item for each element of y."""

from opsmith.op import Kernel, KernelsFor, Variant, i8, i16, i32
from runtimes.gpu.kernel import limits, of_reference


def of_integers(variant: Variant) -> Kernel:
    """Kernel whose states are clamped to the limits of their type."""
    reference = variant.kernels[-1]
    assert reference.tables is not None
    defines = {"CONSTANTS": reference.tables.__name__, **limits(variant.types["S"])}
    return of_reference(defines=defines)(variant)


KERNELS = tuple(
    KernelsFor({"T": i8, "F": i8, "W": state, "S": state, "B": i32}, (of_integers,))
    for state in (i8, i16)
)
