"""Kernels of binary.cl: functions of two tensors that broadcast."""

from opsmith.op import *
from runtimes.gpu.kernel import of_affine, of_reference

A_AND_B = ("p", "in.a", "in.b", "out.y")
WALKS = ("plain", "values", "integers", "floats", "quantised", "products")


def on_pairs(walk: str, **defines: str) -> Callable[[Variant], Kernel]:
    """Maker of a variant's kernel `walk` of binary.cl, with these macros."""
    return of_reference(file="binary.cl", function=walk, arguments=A_AND_B, defines=defines)


def of_pairs(variant: Variant) -> Kernel:
    """Kernel named like the variant's kind, whose facts are macros."""
    assert variant.kind is not None
    return on_pairs(variant.kind.name, **variant.kind.facts)(variant)


KERNELS = (
    *(KernelsFor(walk, (of_pairs,)) for walk in WALKS),
    KernelsFor("quantised", (of_affine("binary.cl", A_AND_B),)),
)
