"""Abs: elements without their sign."""

from __future__ import annotations

import numpy as np

from opsmith.op import Array, Kernel, NodeView, Rename, every_node, i8, i16, i32, refusing
from opsmith.op.cost import per_element
from opsmith.runtimes.families.lookup import bytes_by
from opsmith.runtimes.families.unary import (
    Rescaling,
    by_reference,
    float_ratio,
    floats,
    rescale,
    rescaling,
    shift_problem,
    unary,
)


def params(node: NodeView) -> Rescaling:
    """Those of quantised elements."""
    return rescaling(node, float_ratio(node))


def of_integers(node: NodeView, x: Array) -> Array:
    """For quantised elements."""
    p = params(node)
    return rescale(p, p.x_zero_point + abs(x.astype(np.int64) - p.x_zero_point))


def refused(node: NodeView) -> str:
    """Why dsp.h does not take a node, or ""."""
    return shift_problem(node, params(node).shift)


BY_MVE = Kernel("mve", Rescaling, every_node(params), requires={"mve"}, cost=per_element(2.6))
BY_DSP = Kernel(
    "dsp",
    Rescaling,
    refusing(every_node(params), refused),
    requires={"dsp"},
    cost=per_element(11.0),
)
OP = unary(
    "abs",
    Rename("tflite.ABS", versions=range(1, 6)),
    variants=(
        bytes_by(of_integers, i8),
        by_reference(i16, of_integers, 28.0, Rescaling, params, faster=(BY_MVE, BY_DSP)),
        by_reference(i32, lambda node, x: np.abs(x), 6.0),
        floats(np.abs, cost=5.0),
    ),
)
