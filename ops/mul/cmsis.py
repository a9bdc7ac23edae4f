"""Mul kernels of quantised elements for the DSP extension and Helium."""

from functools import partial

import numpy as np

from opsmith.op import (
    OTHER_RULES,
    Code,
    Kernel,
    KernelsFor,
    NodeView,
    every_node,
    i8,
    i16,
    refusing,
    u8,
)
from opsmith.op.cost import per_element
from opsmith.op.overlap import elementwise
from runtimes.cmsis.words import pairs
from runtimes.core.fixed_point import rounding_divide_by_pot
from runtimes.families.broadcast import row_cost, row_problem

from .quantised import ProductPairs, params, requantized, shifted
from .rules import SinglePairs, ThresholdPairs, by_thresholds, of_products


def saturation_problem(node: NodeView) -> str:
    """Reason why a product of two -2^15, whose double saturates, gives another element, or ""."""
    p = params(node)
    high = np.array([((1 << 31) - 1) * p.multiplier + (1 << 31) >> 32])
    y = np.clip(rounding_divide_by_pot(high, -p.shift), p.activation_min, p.activation_max)
    return "" if y == requantized(node, np.array([1 << 30])) else "2^31 - 1 is no double of 2^30"


EVERY = every_node(params, overlap=elementwise)
ROWS = partial(row_problem, one_repeats=True)
TO_THE_RIGHT = shifted(range(-31, 1))
MVE = Kernel(
    "mve",
    ProductPairs,
    refusing(EVERY, row_problem, shifted(range(-31, 0))),
    requires={"mve"},
    cost=row_cost(9.0, 46.0, 16),
    code=Code(slowdown=1.75),
)
MVE_SINGLE = Kernel(
    "mve_single",
    SinglePairs,
    refusing(of_products, row_problem),
    numerics=OTHER_RULES,
    requires={"mve", "mve_float"},
    cost=row_cost(9.0, 46.0, 16),
    code=Code(slowdown=1.75),
)
DSP = Kernel(
    "dsp",
    ProductPairs,
    refusing(EVERY, ROWS, shifted(range(-22, 0))),  # room for the zero point of y
    requires={"dsp"},
    cost=per_element(7.8),
    code=Code(instance=190, general=950, slowdown=1.25),
)
MVE_WORDS = pairs("mve", "Product", 3.6)
DSP_WORDS = pairs("dsp", "Product", 15.0, TO_THE_RIGHT)
THRESHOLDS = Kernel(
    "dsp_thresholds",
    ThresholdPairs,
    refusing(partial(by_thresholds, 1), ROWS),
    numerics=OTHER_RULES,
    requires={"dsp"},
    cost=per_element(7.3),
    code=Code(instance=190, general=980, slowdown=1.25),
)
KERNELS = (
    KernelsFor({"T": i8}, (MVE, MVE_SINGLE, DSP, MVE_WORDS, DSP_WORDS, THRESHOLDS)),
    KernelsFor({"T": u8}, (MVE_WORDS, DSP_WORDS)),
    KernelsFor(
        {"T": i16}, (MVE_WORDS, pairs("dsp", "Product", 12.0, TO_THE_RIGHT, saturation_problem))
    ),
)
