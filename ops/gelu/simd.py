"""GELU kernels of float32 by simd.h: erfc in vectors."""

from opsmith.op import *
from runtimes.simd.instruction_sets import for_each_set


def vectors(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the plan of the reference, for the exact formula."""
    return for_each_set(
        variant.kernels[-1],
        "opsmith::gelu::in_vectors",
        per_element(25.0),
        plan=refusing(variant.kernels[-1].plan, by_tangent),
        header="ops/gelu/simd.h",
        arguments=("p", "in.x", "out.y"),
    )


def by_tangent(node: NodeView) -> str:
    """Reason against the formula by tanh, for kernels of erfc, or ""."""
    return "the formula is approximate" if node.attributes["approximate"] else ""


KERNELS = (KernelsFor({"T": f32}, (vectors,)),)
