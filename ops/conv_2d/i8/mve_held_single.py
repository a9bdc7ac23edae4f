"""Conv2D of int8 by mve_held_single.h: as mve_held.h, by factors in single precision."""

from opsmith.op import *

from .mve_held import MVE_HELD

MVE_HELD_SINGLE = replace(
    MVE_HELD,
    name="mve_held_single",
    numerics=OTHER_RULES,
    requires={"mve", "mve_float"},
)
KERNELS = (MVE_HELD_SINGLE,)
