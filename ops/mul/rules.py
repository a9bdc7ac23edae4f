"""Kernels of Mul of int8 for rules that round a product once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from opsmith.op import OTHER_RULES, Kernel, KernelsFor, NodeView, Plan, Refused, every_node, i8
from opsmith.op.clamp import bounds, clamp_range
from opsmith.op.cost import per_element
from opsmith.op.overlap import elementwise
from opsmith.runtimes.core.single_threshold import Threshold, single_threshold
from opsmith.runtimes.families.binary import zero_points
from opsmith.runtimes.families.broadcast import Pairs, pairs

from .quantised import factor, requantized


@dataclass(frozen=True, kw_only=True)
class Operands(Pairs):
    """Two quantised tensors."""

    a_zero_point: int
    b_zero_point: int


@dataclass(frozen=True, kw_only=True)
class SinglePairs(Operands):
    """Two quantised tensors, the factor of their products in single precision, and y."""

    y_zero_point: int
    factor: float  # float32
    activation_min: int
    activation_max: int


@dataclass(frozen=True, kw_only=True)
class ThresholdPairs(Threshold, Operands):
    """Two quantised tensors, and how their products are requantised."""


def single_params(node: NodeView) -> SinglePairs:
    """Zero points and the factor of products."""
    found = {**vars(pairs(node)), **zero_points(node), **bounds(node)}
    return SinglePairs(**found, factor=factor(node))


def by_thresholds(doubled: int, node: NodeView) -> Plan | Refused:
    """For products that thresholds prove; kernels multiply them by 2^doubled."""
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


SINGLE_ROUNDINGS = (
    Kernel(
        "thresholds",
        ThresholdPairs,
        partial(by_thresholds, 0),
        numerics=OTHER_RULES,
        cost=per_element(17.0),
    ),
    Kernel(
        "single",
        SinglePairs,
        every_node(single_params, overlap=elementwise),
        numerics=OTHER_RULES,
        cost=per_element(60.0),
    ),
)
KERNELS = (KernelsFor({"T": i8}, SINGLE_ROUNDINGS),)
