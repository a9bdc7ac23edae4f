"""Sum kernels of bytes in vectors."""

from opsmith.op import *
from runtimes.families.reduction import lane_problem, reducing
from runtimes.simd.instruction_sets import for_each_set


def of_words(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the reference's plan, for sums of which several lie side by side."""
    reference = variant.kernels[-1]
    return for_each_set(
        replace(reference, plan=refusing(reference.plan, lane_problem)),
        "opsmith::sum::in_vectors",
        reducing(0.3, 8.0),
        header="ops/sum/simd.h",
        arguments=("p", "in.x", "out.y"),
    )


KERNELS = (KernelsFor({"T": i8}, (of_words,)), KernelsFor({"T": u8}, (of_words,)))
