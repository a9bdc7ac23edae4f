"""Pools of float32 by pooling.h: a channel in each lane."""

from opsmith.op import Kernel, KernelsFor, Variant
from runtimes.families.pooling import inside_cost
from runtimes.simd.instruction_sets import for_each_set

# Struct of joined.h or pooling.h, by a fact of the kind.
STRUCTS = {"AVERAGE": "Mean", "LARGEST": "Largest", "ROOT_MEAN_SQUARE": "RootMeanSquare"}


def reals(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the reference's plan, of a mean, its root or the largest element."""
    assert variant.kind is not None
    found = [struct for name, struct in STRUCTS.items() if name in variant.kind.facts]
    return tuple(
        kernel
        for struct in found
        for kernel in for_each_set(
            variant.kernels[-1],
            "opsmith::simd::pooled_reals",
            inside_cost(1.2, 0.0, 2.5),
            header="runtimes/simd/pooling.h",
            arguments=("p", "in.x", f"opsmith::simd::{struct}{{}}", "out.y"),
        )
    )


KERNELS = (KernelsFor("floats", (reals,)),)
