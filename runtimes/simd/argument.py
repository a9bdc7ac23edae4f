"""Places of the greatest or least of neighbours, by argument.h."""

from opsmith.op import *
from runtimes.families.argument import along
from runtimes.simd.instruction_sets import INSTRUCTION_SETS
from runtimes.simd.reduction import VECTOR

STRUCTS = {"GREATER_ONE": "Largest", "LESSER_ONE": "Least"}  # of joined.h, by what kinds know


def run_problem(node: NodeView) -> str:
    """Reason why the elements along the axis are not neighbours that fill a vector, or ""."""
    p, fewest = along(node), VECTOR // node["x"].dtype.size
    if p.inner != 1:
        return "elements along the axis are not side by side"
    return f"{p.depth} neighbours, fewer than {fewest}" if p.depth < fewest else ""


def places(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the reference's plan, whose vectors have 16 bytes in every instruction set."""
    assert variant.kind is not None
    struct = STRUCTS.get(variant.kind.facts["F"])
    if struct is None or variant.types["T"] == boolean:
        return ()
    given = variant.kernels[-1]
    return tuple(
        Kernel(
            each.name,
            given.params,
            refusing(given.plan, run_problem),
            requires={each.name},
            excludes=each.excludes,
            cost=instructions(lambda node: node["x"].elements, 1.0, 12.0),
            header="runtimes/simd/argument.h",
            function="opsmith::simd::places_in_runs",
            arguments=("p", "in.x", f"opsmith::simd::{struct}{{}}", "out.y"),
        )
        for each in INSTRUCTION_SETS
    )


KERNELS = (KernelsFor("along", (places,)),)
