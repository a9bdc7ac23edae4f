"""Mul kernels of int8 for rules that round a product once."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from opsmith.op import OTHER_RULES, Kernel, KernelsFor, NodeView, Plan, Refused, every_node, i8
from opsmith.op.clamp import bounds, clamp_range
from opsmith.op.cost import per_element
from opsmith.op.overlap import elementwise
from runtimes.core.notebook import single_quotient
from runtimes.core.single_threshold import Threshold, single_threshold
from runtimes.families.binary import zero_points
from runtimes.families.broadcast import Pairs, pairs

from .quantised import factor, is_square, requantized

SQUARED = "a tensor times itself is squared"


@dataclass(frozen=True, kw_only=True)
class Operands(Pairs):
    """Walk through pairs of quantised tensors, and their zero points."""

    a_zero_point: int
    b_zero_point: int


@dataclass(frozen=True, kw_only=True)
class SinglePairs(Operands):
    """Zero points of a and b, the float32 factor of their products, and y's bounds.

    For a square of one tensor, the scales of values.
    """

    squares: bool
    a_scale: float  # float32
    inverse: float  # float32, of the scale of y
    factor: float  # float32
    y_zero_point: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True, kw_only=True)
class ThresholdPairs(Threshold, Operands):
    """Zero points of a and b, and thresholds of their products."""


def single_params(node: NodeView) -> SinglePairs:
    """Zero points, factor of products, and scales of squares of a node."""
    found = {**vars(pairs(node)), **zero_points(node), **bounds(node)}
    inverse, squares = single_quotient(1.0, node["y"].scale), is_square(node)
    scales: dict[str, Any] = {"a_scale": node["a"].scale, "inverse": inverse}
    return SinglePairs(**found, **scales, squares=squares, factor=factor(node))


def of_products(node: NodeView) -> Plan | Refused:
    """Plan for products of two tensors, with any factor."""
    return Refused(SQUARED) if is_square(node) else EVERY(node)


def by_thresholds(doubled: int, node: NodeView) -> Plan | Refused:
    """Plan for products with proved thresholds; the kernel multiplies products by 2^doubled."""
    if is_square(node):
        return Refused(SQUARED)
    lifted = [
        [end - node[name].zero_point for end in node[name].dtype.limits] for name in ("a", "b")
    ]
    ends = [a * b for a in lifted[0] for b in lifted[1]]
    line, reach = (factor(node), float(node["y"].zero_point)), (min(ends), max(ends))
    output = partial(requantized, node)
    found = single_threshold(output, reach, *line, clamp_range(node))
    if isinstance(found, Refused):
        return found
    found = replace(found, left_shift=found.left_shift - doubled)  # which is at least 1
    zeros = zero_points(node)
    operands = {name: zeros[name] for name in ("a_zero_point", "b_zero_point")}
    params = ThresholdPairs(**vars(pairs(node)), **operands, **vars(found))
    return Plan(params, overlap=partial(elementwise, node))


EVERY = every_node(single_params, overlap=elementwise)
SINGLE = Kernel("single", SinglePairs, EVERY, numerics=OTHER_RULES, cost=per_element(60.0))
SINGLE_ROUNDINGS = (
    Kernel(
        "thresholds",
        ThresholdPairs,
        partial(by_thresholds, 0),
        numerics=OTHER_RULES,
        cost=per_element(17.0),
    ),
    SINGLE,
)
KERNELS = (KernelsFor({"T": i8}, SINGLE_ROUNDINGS),)
