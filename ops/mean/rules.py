"""Mean kernels of int8 for rules that round a sum once."""

from opsmith.op import *
from runtimes.families.means import scaled_means
from runtimes.families.reduction import (
    SingleAxes,
    ThresholdAxes,
    lane_problem,
    reducing,
    single_axes,
    threshold_plan,
)


def by_thresholds(node: NodeView) -> Plan | Refused:
    """Plan for sums with proved thresholds."""
    return threshold_plan(node, scaled_means, mean=True)


SINGLE = Kernel(
    "single",
    SingleAxes,
    every_node(partial(single_axes, mean=True)),
    numerics=OTHER_RULES,
    cost=reducing(3.9, 200.0),
)
LANE_THRESHOLDS = refusing(by_thresholds, lane_problem)
SINGLE_ROUNDINGS = (
    Kernel(
        "lanes_thresholds",
        ThresholdAxes,
        LANE_THRESHOLDS,
        numerics=OTHER_RULES,
        cost=reducing(2.2, 40.0),
    ),
    Kernel(
        "thresholds", ThresholdAxes, by_thresholds, numerics=OTHER_RULES, cost=reducing(3.9, 44.0)
    ),
    SINGLE,
)
KERNELS = (KernelsFor({"T": i8}, SINGLE_ROUNDINGS),)
