"""DepthwiseConv2D of int8 by thresholds.h: one multiplication for any rule, on every core."""

from opsmith.op import OTHER_RULES, Code, Kernel
from runtimes.core.per_channel import ThresholdTables
from runtimes.families.depthwise import DEPTHWISE, inside_cost

from .params import ThresholdParams, overlap

THRESHOLDS = Kernel(
    "thresholds",
    ThresholdParams,
    DEPTHWISE.thresholds(
        ThresholdParams,
        lambda node, found: ThresholdTables(node["filter"].data, found.table),
        overlap,
    ),
    ThresholdTables,
    numerics=OTHER_RULES,
    cost=inside_cost(6.7, 34.0, 29.0),
    code=Code(instance=240),
)
KERNELS = (THRESHOLDS,)
