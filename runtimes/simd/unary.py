"""Formulas of float32 whose functions real_functions.h computes in vectors."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from opsmith.op import Kernel, KernelsFor, NodeView, Variant, f32
from opsmith.runtimes.simd.instruction_sets import for_each_set

ROOT = "runtimes/core/square_root.h"
KNOWN = {ROOT} | {
    f"runtimes/core/real_{each}.h"
    for each in ("exponential", "exponential_minus_one", "logarithm", "rounding", "sine")
}
FASTER = 3  # times


def vectors(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of a formula that uses functions of real_functions.h; none for other formulas."""
    given = variant.kernels[-1]
    files = set(given.includes)
    return tuple(_vectors(given)) if files and files <= KNOWN else ()


def _faster(cost: Callable[[NodeView], float]) -> Callable[[NodeView], float]:
    return lambda node: cost(node) / FASTER


def _vectors(given: Kernel) -> Iterator[Kernel]:
    assert given.cost is not None, "a formula has one"
    cost = _faster(given.cost)
    *before, formula = given.arguments
    formula = formula.replace(f"[]({f32.c} x)", "[](auto x)")
    header, function = "runtimes/simd/real_functions.h", "opsmith::simd::of_each"
    for each in for_each_set(given, function, cost, header=header):
        root = f"opsmith::simd::square_root{each.function.removeprefix(function)}("
        yield replace(each, arguments=(*before, formula.replace("opsmith::square_root(", root)))


KERNELS = (KernelsFor("formula", (vectors,)),)
