"""GELU of float32 by simd.h: vectors of erfc."""

from opsmith.op import Kernel, KernelsFor, NodeView, Variant, f32, refusing
from opsmith.op.cost import per_element
from opsmith.runtimes.simd.instruction_sets import for_each_set


def vectors(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the definition's plan, for the exact formula."""
    return for_each_set(
        variant.kernels[-1],
        "opsmith::gelu::in_vectors",
        per_element(25.0),
        plan=refusing(variant.kernels[-1].plan, by_tangent),
        header="ops/gelu/simd.h",
        arguments=("p", "in.x", "out.y"),
    )


def by_tangent(node: NodeView) -> str:
    """Reason why the kernel does not take a node; empty where it does."""
    return "the formula is approximate" if node.attributes["approximate"] else ""


KERNELS = (KernelsFor({"T": f32}, (vectors,)),)
