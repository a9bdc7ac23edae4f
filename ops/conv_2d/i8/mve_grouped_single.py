"""Conv2D of int8 by mve_grouped_single.h: as mve_grouped.h, by factors in single precision."""

from opsmith.op import *

from .mve_grouped import MVE_GROUPED

MVE_GROUPED_SINGLE = replace(
    MVE_GROUPED,
    name="mve_grouped_single",
    numerics=OTHER_RULES,
    requires={"mve", "mve_float"},
)
KERNELS = (MVE_GROUPED_SINGLE,)
