"""Conv2D of int8 by mve_single.h: as mve.h, by factors in single precision."""

from opsmith.op import *

from .mve import MVE

MVE_SINGLE = replace(
    MVE,
    name="mve_single",
    numerics=OTHER_RULES,
    requires={"mve", "mve_float"},
)
KERNELS = (MVE_SINGLE,)
