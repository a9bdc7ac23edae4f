"""Formulas of float32 whose functions real_functions.h computes in vectors, and bytes by tables."""

from opsmith.op import *
from runtimes.simd.instruction_sets import for_each_set
from runtimes.simd.lookup import rescaled

KNOWN = {
    f"runtimes/core/{each}.h"
    for each in (
        "real_exponential",
        "real_exponential_minus_one",
        "real_logarithm",
        "real_rounding",
        "real_sine",
        "square_root",
    )
}
FASTER = 3  # times


def vectors(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of a formula that uses functions of real_functions.h; none for other formulas."""
    given = variant.kernels[-1]
    files = set(given.includes)
    if not files or not files <= KNOWN:
        return ()
    assert given.cost is not None, "a formula has one"
    *before, formula = given.arguments
    formula = formula.replace(f"[]({f32.c} x)", "[](auto x)")
    return for_each_set(
        given,
        "opsmith::simd::of_each",
        _faster(given.cost),
        header="runtimes/simd/real_functions.h",
        arguments=(*before, formula),
    )


def _faster(cost: Callable[[NodeView], float]) -> Callable[[NodeView], float]:
    return lambda node: cost(node) / FASTER


KERNELS = (KernelsFor("formula", (vectors,)), KernelsFor("rescaled", (rescaled,)))
