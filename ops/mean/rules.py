"""Kernels of Mean of int8 for rules that round a sum once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from opsmith.op import (
    OTHER_RULES,
    Kernel,
    KernelsFor,
    NodeView,
    Plan,
    Refused,
    every_node,
    i8,
    refusing,
)
from opsmith.runtimes.core.single_threshold import Threshold, single_threshold
from opsmith.runtimes.families.means import scaled_means
from opsmith.runtimes.families.reduction import (
    Axes,
    SingleAxes,
    axes,
    lane_problem,
    reduced_elements,
    reduced_line,
    single_axes,
)

from .op import averaged


@dataclass(frozen=True, kw_only=True)
class ThresholdAxes(Threshold, Axes):
    """The axes, and how sums with the zero points are requantised."""


def by_thresholds(node: NodeView) -> Plan | Refused:
    """For sums that thresholds prove."""
    low, high = (reduced_elements(node) * end for end in node["x"].dtype.limits)
    line, clamp = reduced_line(node, mean=True), node["y"].dtype.limits
    found = single_threshold(partial(scaled_means, node), (low, high), *line, clamp)
    if isinstance(found, Refused):
        return found
    return Plan(ThresholdAxes(**vars(axes(node)), **vars(found)))


SINGLE = Kernel(
    "single",
    SingleAxes,
    every_node(partial(single_axes, mean=True)),
    numerics=OTHER_RULES,
    cost=averaged(3.9, 200.0),
)
LANE_THRESHOLDS = refusing(by_thresholds, lane_problem)
SINGLE_ROUNDINGS = (
    Kernel(
        "lanes_thresholds",
        ThresholdAxes,
        LANE_THRESHOLDS,
        numerics=OTHER_RULES,
        cost=averaged(2.2, 40.0),
    ),
    Kernel(
        "thresholds", ThresholdAxes, by_thresholds, numerics=OTHER_RULES, cost=averaged(3.9, 44.0)
    ),
    SINGLE,
)
KERNELS = (KernelsFor({"T": i8}, SINGLE_ROUNDINGS),)
