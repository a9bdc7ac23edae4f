"""LogSoftmax of float32 by simd.h: exponentials in vectors."""

from opsmith.op import *
from runtimes.simd.instruction_sets import for_each_set


def vectors(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the plan of the reference."""
    return for_each_set(
        variant.kernels[-1],
        "opsmith::log_softmax::in_vectors",
        instructions(row_count, 60.0, 20.0),
        header="ops/log_softmax/simd.h",
        arguments=("p", "in.x", "out.y"),
    )


KERNELS = (KernelsFor({"T": f32}, (vectors,)),)
