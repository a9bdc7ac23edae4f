"""Quantize even by simd.h: elements in vectors."""

from opsmith.op import *
from runtimes.families.broadcast import in_place
from runtimes.simd.instruction_sets import for_each_set


def vectors(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the plan of the reference."""
    return for_each_set(
        in_place(variant.kernels[-1]),
        "opsmith::quantize_even::in_vectors",
        per_element(4.5),
        header="ops/quantize_even/simd.h",
        arguments=("p", "in.x", "out.y"),
    )


KERNELS = (KernelsFor({"T": f32, "U": i8}, (vectors,)),)
