"""Functions of int8 and uint8 elements as affine functions: see runtimes/core/affine.py."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from opsmith.op import ANY_RULE, Kernel, NodeView, Numerics, Plan, Refused
from opsmith.op.cost import per_element
from opsmith.op.overlap import elementwise
from opsmith.runtimes.core.affine import AffineConstants, Evaluate, affine
from opsmith.runtimes.core.notebook import element_slope


@dataclass(frozen=True)
class AffineElements:
    """y = clamp((offset + x * multiplier) >> shift)."""

    elements: int
    multiplier: int
    offset: int
    shift: int
    y_min: int
    y_max: int


def affine_elements(evaluate: Evaluate) -> Kernel:
    """The kernel of a function y of x, for every core."""

    def plan(node: NodeView) -> Plan | Refused:
        found = element_constants(node, evaluate)
        if isinstance(found, Refused):
            return found
        f, limits = found
        params = AffineElements(node["x"].elements, f.multipliers[0], f.offset, f.shift, *limits)
        return Plan(params, overlap=partial(elementwise, node))

    return Kernel(
        "affine",
        AffineElements,
        plan,
        numerics=ANY_RULE,
        cost=per_element(9.0),
        header="runtimes/core/affine.h",
        function="opsmith::affine_elements",
        arguments=("p", "in.x", "out.y"),
    )


def element_constants(
    node: NodeView, evaluate: Evaluate
) -> tuple[AffineConstants, tuple[int, int]] | Refused:
    """The affine function that node y of x is, with a whole multiplier, and the bounds of y."""
    low, high = node["x"].dtype.limits
    every = np.arange(low, high + 1, dtype=np.int64)
    (outputs,) = evaluate(node, [every])
    limits = int(outputs.min()), int(outputs.max())
    slope = element_slope(node)
    whole = node.numerics != Numerics.REFERENCE
    found = affine(outputs, [every], [slope], limits, 0, whole)
    if found is None:
        return Refused(
            f"no multiplier and shift give all 256 elements exactly at scale {slope:.6g}"
        )
    return found, limits
