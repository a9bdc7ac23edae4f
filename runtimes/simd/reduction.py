"""Reductions of floats along axes by reduction.h: neighbours of y, or runs, at a time."""

from collections.abc import Callable
from dataclasses import replace

from opsmith.op import Kernel, KernelsFor, NodeView, Variant, f32, refusing
from opsmith.op.cost import instructions
from opsmith.runtimes.families.reduction import lane_problem, run_problem
from opsmith.runtimes.simd.instruction_sets import for_each_set

# Struct of joined.h, by the function that kinds know.
STRUCTS = {"wrapping_sum": "Sum", "GREATER_FOUND": "Largest", "LESSER_FOUND": "Least"}


def reals(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of sums, of the largest and of the least element."""
    assert variant.kind is not None
    struct = STRUCTS.get(variant.kind.facts["function"])
    return reduced(variant, struct) if struct and variant.types["T"] == f32 else ()


def reduced(variant: Variant, struct: str) -> tuple[Kernel, ...]:
    """Kernels with the reference's plan, by a struct of joined.h."""
    definition = variant.kernels[-1]
    arguments = ("p", "in.x", f"opsmith::simd::{struct}{{}}", "out.y")

    def of(function: str, problem: Callable[[NodeView], str], cost: float) -> tuple[Kernel, ...]:
        return for_each_set(
            replace(definition, plan=refusing(definition.plan, problem)),
            f"opsmith::simd::{function}",
            instructions(lambda node: node["x"].elements, cost, 3.0),
            header="runtimes/simd/reduction.h",
            arguments=arguments,
        )

    runs = of("real_runs", run_problem, 1.5)
    return (
        *of("reduced_reals", lane_problem, 1.2),
        *(replace(each, name=f"{each.name}_runs") for each in runs),
    )


KERNELS = (KernelsFor("fold", (reals,)),)
