"""Kernels of sigmoid.cl: logistic functions of int16, interpolated between samples."""

from opsmith.op import Kernel, KernelsFor, Variant
from runtimes.gpu.kernel import of_reference

ARGUMENTS = ("p", "tables.values", "in.x", "out.y")


def by_samples(variant: Variant) -> Kernel:
    """Kernel that interpolates, by the function of sigmoid.cl that the variant's kind names."""
    assert variant.kind is not None
    defines = {"F": variant.kind.facts["function"]}
    return of_reference(file="sigmoid.cl", arguments=ARGUMENTS, defines=defines)(variant)


KERNELS = (KernelsFor("by_samples", (by_samples,)),)
