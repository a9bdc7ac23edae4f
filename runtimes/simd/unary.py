"""Formulas of float32 with a square root, which one instruction computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from opsmith.op import Kernel, KernelsFor, NodeView, Variant
from opsmith.runtimes.simd.instruction_sets import INSTRUCTION_SETS

ROOT = "runtimes/core/square_root.h"
FASTER = 17  # times


def by_root(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of a formula with a square root; none of others."""
    return tuple(_by_root(variant.kernels[-1]))


def _by_root(given: Kernel) -> Iterator[Kernel]:
    if ROOT not in given.includes:
        return

    def cost(node: NodeView) -> float:
        return 0.0 if given.cost is None else given.cost(node) / FASTER

    others = tuple(each for each in given.includes if each != ROOT)
    for isa in INSTRUCTION_SETS:
        function = f"opsmith::simd::square_root<opsmith::simd::{isa.struct}>("
        yield replace(
            given,
            name=isa.name,
            requires={isa.name},
            excludes=isa.excludes,
            includes=(*others, isa.header, "runtimes/simd/root.h"),
            arguments=tuple(
                each.replace("opsmith::square_root(", function) for each in given.arguments
            ),
            cost=cost,
        )


KERNELS = (KernelsFor("formula", (by_root,)),)
