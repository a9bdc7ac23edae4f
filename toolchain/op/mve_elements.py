"""Elements as sums of products for Helium: what runtimes/cmsis/mve_elements.h may know, and proofs.

Sums are of 32 bits, and their high halves become bytes: sum >> (24 - left), saturated, where left
is at most 8. Multipliers are whole numbers, so that a vector needs one instruction for each.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolchain.op.affine import BYTES, Evaluate
from toolchain.op.affine_elements import element_constants
from toolchain.op.affine_pair import pair_constants
from toolchain.op.broadcast import one_run
from toolchain.op.clamp import clamp_range
from toolchain.op.view import NodeView

SHIFTS = range(16, 25)  # of sums, to the right


@dataclass(frozen=True)
class MvePair:
    """What a kernel may know at compile time."""

    elements: int
    a_multiplier: int
    b_multiplier: int
    offset: int
    left: int
    y_min: int
    y_max: int


@dataclass(frozen=True)
class MveElements:
    """What a kernel may know at compile time."""

    elements: int
    multiplier: int
    offset: int
    left: int
    y_min: int
    y_max: int


def pair(node: NodeView, evaluate: Evaluate, signs: tuple[int, int]) -> MvePair | None:
    """The Shape of node y = signs[0] * a + signs[1] * b, where sums give every element exactly."""
    if not one_run(node):
        return None
    found = pair_constants(node, evaluate, signs, fraction_bits=0)
    if found is None or found.shift not in SHIFTS:
        return None
    a_multiplier, b_multiplier = found.multipliers
    left = SHIFTS[-1] - found.shift
    limits = clamp_range(node)
    return MvePair(node["y"].elements, a_multiplier, b_multiplier, found.offset, left, *limits)


def elements(node: NodeView, evaluate: Evaluate) -> MveElements | None:
    """The Shape of node y of x, where one product gives every element exactly."""
    found = element_constants(node, evaluate)
    if found is None or found.shift not in SHIFTS:
        return None
    (outputs,) = evaluate(node, [BYTES])
    left = SHIFTS[-1] - found.shift
    limits = int(outputs.min()), int(outputs.max())
    return MveElements(node["y"].elements, found.multipliers[0], found.offset, left, *limits)
