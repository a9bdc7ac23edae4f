"""Conv2D of int8 by thresholds.h: one multiplication for any rule, on every core."""

from opsmith.op import *
from runtimes.core.per_channel import ThresholdTables
from runtimes.families.convolution import CONVOLUTION, pixel_overlap

from .params import BLOCK, ThresholdParams

THRESHOLDS = Kernel(
    "thresholds",
    ThresholdParams,
    CONVOLUTION.thresholds(
        ThresholdParams,
        lambda node, found: ThresholdTables(node["filter"].data, found.table),
        partial(pixel_overlap, block=BLOCK),
    ),
    ThresholdTables,
    numerics=OTHER_RULES,
    cost=CONVOLUTION.cost(8.0, 17.0),
    code=Code(instance=390, general=950),
)
KERNELS = (THRESHOLDS,)
