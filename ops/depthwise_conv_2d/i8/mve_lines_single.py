"""DepthwiseConv2D of int8 by mve_lines_single.h: as mve_lines.h, by factors in single precision."""

from opsmith.op import *

from .mve_lines import MVE_LINES

MVE_LINES_SINGLE = replace(
    MVE_LINES,
    name="mve_lines_single",
    numerics=OTHER_RULES,
    requires={"mve", "mve_float"},
)
KERNELS = (MVE_LINES_SINGLE,)
