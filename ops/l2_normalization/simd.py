"""L2Normalization of float32 by simd.h: quotients in vectors."""

from opsmith.op import *
from runtimes.simd.instruction_sets import for_each_set


def vectors(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the plan of the reference."""
    return for_each_set(
        variant.kernels[-1],
        "opsmith::l2_normalization::in_vectors",
        instructions(row_count, 30.0, 4.0),
        header="ops/l2_normalization/simd.h",
        arguments=("p", "in.x", "out.y"),
    )


KERNELS = (KernelsFor({"T": f32}, (vectors,)),)
