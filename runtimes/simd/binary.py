"""Sums and differences of int8 and uint8 by affine.h, eight elements at a time."""

from __future__ import annotations

from functools import partial

from opsmith.op import ANY_RULE, Kernel, KernelsFor, Variant, i16, refusing
from opsmith.op.cost import per_element
from opsmith.runtimes.families.affine_pairs import AffinePairs, pair_plan
from opsmith.runtimes.families.broadcast import row_problem
from opsmith.runtimes.simd.instruction_sets import INSTRUCTION_SETS

# Name of the function that a kind knows -> signs of a and b.
SIGNS = {"wrapping_sum": (1, 1), "wrapping_difference": (1, -1)}
SIGNS |= {"Sum": (1, 1), "Difference": (1, -1)}


def sums(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of a sum or a difference, for rows of neighbours or of one element."""
    assert variant.kind is not None
    signs = SIGNS.get(variant.kind.facts["F"])
    if signs is None or variant.evaluate is None or variant.types["T"] == i16:
        return ()
    planned = partial(pair_plan, variant.evaluate, signs)
    return tuple(
        Kernel(
            each.name,
            AffinePairs,
            refusing(planned, partial(row_problem, one_repeats=True)),
            numerics=ANY_RULE,
            requires={each.name},
            excludes=each.excludes,
            cost=per_element(3.0),
            header="runtimes/simd/affine.h",
            function="opsmith::simd::affine_pairs",
            arguments=("p", "in.a", "in.b", "out.y"),
        )
        for each in INSTRUCTION_SETS
    )


KERNELS = tuple(KernelsFor(kind, (sums,)) for kind in ("quantised", "real"))
