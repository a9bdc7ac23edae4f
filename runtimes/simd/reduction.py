"""Reductions along axes by reduction.h: neighbours of y, or runs of x, at a time."""

from opsmith.op import *
from runtimes.families.reduction import axes, fold, lane_problem, reducing, run_problem
from runtimes.simd.instruction_sets import for_each_set

# Struct of joined.h, by the function that kinds know.
STRUCTS = {"wrapping_sum": "Sum", "GREATER_FOUND": "Largest", "LESSER_FOUND": "Least"}

VECTOR = 16  # bytes
Function = tuple[str, Callable[[NodeView], str], float]  # name, problem, and cost of an element
OF_REALS = (("reduced_reals", lane_problem, 1.2), ("real_runs", run_problem, 1.5))


def reals(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of sums, of the largest and of the least element."""
    assert variant.kind is not None
    struct = STRUCTS.get(variant.kind.facts["function"])
    functions = (OF_REALS[0], ("real_runs", refused_runs, 1.5))
    return reduced(variant, struct, functions) if struct and variant.types["T"] == f32 else ()


def refused_runs(node: NodeView) -> str:
    """Reason why the elements of x for an element of y are not neighbours that a function's start
    comes before, or "".
    """
    first = fold(node).from_first
    return run_problem(node) or ("what is found begins with the first element" if first else "")


def integers(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of the largest and of the least integer."""
    assert variant.kind is not None
    struct = STRUCTS.get(variant.kind.facts["function"])
    if struct not in ("Largest", "Least") or variant.types["T"] not in (i8, u8, i16, i32):
        return ()
    functions = ("reduced_integers", lane_problem, 0.5), ("integer_runs", vector_problem, 0.8)
    return reduced(variant, struct, functions)


def vector_problem(node: NodeView) -> str:
    """Reason why the elements of x for an element of y do not fill vectors, or ""."""
    fewest = VECTOR // node["x"].dtype.size
    count = axes(node).reduced[3]
    few = f"{count} neighbours are reduced, fewer than {fewest}" if count < fewest else ""
    return run_problem(node) or few


def reduced(
    variant: Variant, struct: str, functions: tuple[Function, Function] = OF_REALS
) -> tuple[Kernel, ...]:
    """Kernels with the reference's plan by structs of joined.h: neighbours of y, and runs of x."""
    definition = variant.kernels[-1]
    arguments = ("p", "in.x", f"opsmith::simd::{struct}{{}}", "out.y")

    def of(function: str, problem: Callable[[NodeView], str], cost: float) -> tuple[Kernel, ...]:
        return for_each_set(
            replace(definition, plan=refusing(definition.plan, problem)),
            f"opsmith::simd::{function}",
            reducing(cost, 3.0),
            header="runtimes/simd/reduction.h",
            arguments=arguments,
        )

    of_neighbours, of_runs = functions
    runs = (replace(each, name=f"{each.name}_runs") for each in of(*of_runs))
    return (*of(*of_neighbours), *runs)


KERNELS = (KernelsFor("fold", (reals, integers)),)
