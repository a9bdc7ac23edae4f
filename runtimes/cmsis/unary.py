"""Kernels of functions of one tensor, by the FPU, the DSP extension and Helium."""

from opsmith.op import *
from runtimes.cmsis.affine import dsp_elements
from runtimes.cmsis.mve_elements import mve_elements
from runtimes.cmsis.words import elements, shift_problem

ROOT = "runtimes/core/square_root.h"
FASTER = 17  # times, by VSQRT


def by_fpu(variant: Variant) -> tuple[Kernel, ...]:
    """Kernel of a formula with a square root, which VSQRT computes; none of other formulas."""
    given = variant.kernels[-1]
    if ROOT not in given.includes:
        return ()

    def cost(node: NodeView) -> float:
        return 0.0 if given.cost is None else given.cost(node) / FASTER

    by_vsqrt = (each.replace("square_root(", "fpu::square_root(") for each in given.arguments)
    includes = (*(each for each in given.includes if each != ROOT), "runtimes/cmsis/fpu_root.h")
    changed = replace(given, arguments=tuple(by_vsqrt), includes=includes, cost=cost)
    return (replace(changed, name="fpu", requires={"fpu"}),)


def rescaled(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels that convert integers from one quantisation to another."""
    return tuple(_rescaled(variant))


def _rescaled(variant: Variant) -> Iterator[Kernel]:
    used, reference = set(variant.types.values()), variant.kernels[-1]

    def shifted(node: NodeView) -> str:
        found = reference.plan(node)
        return "" if isinstance(found, Refused) else shift_problem(node, found.params.shift)

    if used == {i8} and variant.evaluate is not None:
        yield mve_elements(variant.evaluate)
    if used <= {i8, u8} and variant.evaluate is not None:
        yield dsp_elements(variant.evaluate)
    yield elements("mve", "Rescaled", 2.3)(variant)
    if i32 not in used:
        yield elements("dsp", "Rescaled", 10.0, shifted)(variant)


KERNELS = (KernelsFor("formula", (by_fpu,)), KernelsFor("rescaled", (rescaled,)))
