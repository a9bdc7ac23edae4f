"""Selections by selection.h: elements of vectors by a vector of conditions."""

from opsmith.op import *
from runtimes.simd.instruction_sets import INSTRUCTION_SETS


def chosen(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the plan of the reference, for all element types."""
    return tuple(
        replace(
            variant.kernels[-1],
            name=each.name,
            requires={each.name},
            excludes=each.excludes,
            cost=per_element(8 / each.lanes),
            header="runtimes/simd/selection.h",
            includes=(each.header,),
            function=f"opsmith::simd::Selection<opsmith::simd::{each.struct}>::select<T>",
        )
        for each in INSTRUCTION_SETS
    )


KERNELS = (KernelsFor("chosen", (chosen,)),)
