"""Conv2D of int8 by mve_quads_single.h: as mve_quads.h, by factors in single precision."""

from opsmith.op import *

from .mve_quads import MVE_QUADS

MVE_QUADS_SINGLE = replace(
    MVE_QUADS,
    name="mve_quads_single",
    numerics=OTHER_RULES,
    requires={"mve", "mve_float"},
)
KERNELS = (MVE_QUADS_SINGLE,)
