"""Mul of quantised elements by the DSP extension and Helium."""

from __future__ import annotations

import numpy as np

from opsmith.op import Code, Kernel, KernelsFor, NodeView, every_node, i8, i16, refusing, u8
from opsmith.op.cost import per_element
from opsmith.op.overlap import elementwise
from opsmith.runtimes.cmsis.words import pairs
from opsmith.runtimes.core.fixed_point import rounding_divide_by_pot
from opsmith.runtimes.families.broadcast import row_problem

from .quantised import ProductPairs, params, requantized, shifted


def saturation_problem(node: NodeView) -> str:
    """Why the product of two -2^15, whose double saturates, would give another element."""
    p = params(node)
    high = np.array([((1 << 31) - 1) * p.multiplier + (1 << 31) >> 32])
    y = np.clip(rounding_divide_by_pot(high, -p.shift), p.activation_min, p.activation_max)
    return "" if y == requantized(p, np.array([1 << 30])) else "2^31 - 1 is no double of 2^30"


EVERY = every_node(params, overlap=elementwise)
TO_THE_RIGHT = shifted(range(-31, 1))
MVE = Kernel(
    "mve",
    ProductPairs,
    refusing(EVERY, row_problem, shifted(range(-31, 0))),
    requires={"mve"},
    cost=per_element(2.5),
    code=Code(slowdown=1.75),
)
DSP = Kernel(
    "dsp",
    ProductPairs,
    refusing(EVERY, row_problem, shifted(range(-22, 0))),  # room for the zero point of y
    requires={"dsp"},
    cost=per_element(9.0),
    code=Code(instance=180, general=1380, slowdown=1.6),
)
MVE_WORDS = pairs("mve", "Product", 3.5)
DSP_WORDS = pairs("dsp", "Product", 15.0, TO_THE_RIGHT)
KERNELS = (
    KernelsFor({"T": i8}, (MVE, DSP, MVE_WORDS, DSP_WORDS)),
    KernelsFor({"T": u8}, (MVE_WORDS, DSP_WORDS)),
    KernelsFor(
        {"T": i16}, (MVE_WORDS, pairs("dsp", "Product", 12.0, TO_THE_RIGHT, saturation_problem))
    ),
)
