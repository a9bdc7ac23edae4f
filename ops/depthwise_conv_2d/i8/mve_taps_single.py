"""DepthwiseConv2D of int8 by mve_taps_single.h: as mve_taps.h, by factors in single precision."""

from opsmith.op import *

from .mve_taps import MVE_TAPS

MVE_TAPS_SINGLE = replace(
    MVE_TAPS,
    name="mve_taps_single",
    numerics=OTHER_RULES,
    requires={"mve", "mve_float"},
)
KERNELS = (MVE_TAPS_SINGLE,)
