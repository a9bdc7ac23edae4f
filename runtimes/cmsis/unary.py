"""Kernels of functions of one tensor, by the DSP extension and Helium."""

from __future__ import annotations

from collections.abc import Iterator

from opsmith.op import Kernel, KernelsFor, NodeView, Refused, Variant, i8, i32
from opsmith.runtimes.cmsis.mve_elements import mve_elements
from opsmith.runtimes.cmsis.words import elements, shift_problem


def rescaled(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels that give integers another quantisation."""
    return tuple(_rescaled(variant))


def _rescaled(variant: Variant) -> Iterator[Kernel]:
    used, reference = set(variant.types.values()), variant.kernels[-1]

    def shifted(node: NodeView) -> str:
        found = reference.plan(node)
        return "" if isinstance(found, Refused) else shift_problem(node, found.params.shift)

    if used == {i8} and variant.evaluate is not None:
        yield mve_elements(variant.evaluate)
    yield elements("mve", "Rescaled", 2.3)(variant)
    if i32 not in used:
        yield elements("dsp", "Rescaled", 10.0, shifted)(variant)


KERNELS = (KernelsFor("rescaled", (rescaled,)),)
