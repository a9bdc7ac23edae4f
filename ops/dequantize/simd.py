"""Dequantize by simd.h: elements in vectors."""

from opsmith.op import *
from runtimes.simd.instruction_sets import for_each_set


def vectors(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the plan of the reference."""
    return for_each_set(
        variant.kernels[-1],
        "opsmith::dequantize::in_vectors",
        per_element(1.0),
        header="ops/dequantize/simd.h",
        arguments=("p", "in.x", "out.y"),
    )


KERNELS = tuple(KernelsFor({"T": dtype}, (vectors,)) for dtype in (i8, u8, i16))
