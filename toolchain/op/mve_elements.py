"""Elements as sums of products for Helium: what runtimes/cmsis/mve_elements.h may know, and proofs.

Sums are of 32 bits, and their high halves become bytes: sum >> (24 - left), saturated, where left
is at most 8. Multipliers are whole numbers, so that a vector needs one instruction for each.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolchain.op.affine import BYTES, Evaluate
from toolchain.op.affine_elements import element_constants
from toolchain.op.affine_pair import pair_constants
from toolchain.op.broadcast import Five, in_rows, pair_params
from toolchain.op.clamp import clamp_range
from toolchain.op.view import NodeView

SHIFTS = range(16, 25)  # of sums, to the right


@dataclass(frozen=True)
class MvePair:
    """What a kernel may know at compile time."""

    size: Five  # of y
    a_stride: Five  # elements, 0 along an axis that repeats
    b_stride: Five
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
    """The Params of node y = signs[0] * a + signs[1] * b, where sums give every element exactly."""
    if not in_rows(node):
        return None
    found = pair_constants(node, evaluate, signs, fraction_bits=0)
    if found is None or found.shift not in SHIFTS:
        return None
    a_multiplier, b_multiplier = found.multipliers
    pairs, (low, high) = pair_params(node), clamp_range(node)
    return MvePair(
        size=pairs.size,
        a_stride=pairs.a_stride,
        b_stride=pairs.b_stride,
        a_multiplier=a_multiplier,
        b_multiplier=b_multiplier,
        offset=found.offset,
        left=SHIFTS[-1] - found.shift,
        y_min=low,
        y_max=high,
    )


def elements(node: NodeView, evaluate: Evaluate) -> MveElements | None:
    """The Params of node y of x, where one product gives every element exactly."""
    found = element_constants(node, evaluate)
    if found is None or found.shift not in SHIFTS:
        return None
    (outputs,) = evaluate(node, [BYTES])
    left = SHIFTS[-1] - found.shift
    limits = int(outputs.min()), int(outputs.max())
    return MveElements(node["y"].elements, found.multipliers[0], found.offset, left, *limits)
