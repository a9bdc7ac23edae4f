"""Kernel of mve_samples.h: logistic functions of int16, interpolated between samples."""

from opsmith.op import Kernel, KernelsFor, Variant
from runtimes.cmsis.kernel import of_reference


def by_samples(variant: Variant) -> Kernel:
    """Helium kernel that interpolates the function named by the variant's kind."""
    assert variant.kind is not None
    logistic = "true" if variant.kind.facts["function"] == "logistic_at" else "false"
    return of_reference(
        "mve",
        6.5,
        header="runtimes/cmsis/mve_samples.h",
        function=f"opsmith::mve::elements_by_samples<{logistic}>",
        arguments=("p", "tables.values", "in.x", "out.y"),
    )(variant)


KERNELS = (KernelsFor("by_samples", (by_samples,)),)
