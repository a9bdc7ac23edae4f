"""Conv2D of int8 by mve_single.h: as mve.h, by factors in single precision."""

from dataclasses import replace

from opsmith.op import OTHER_RULES

from .mve import MVE

MVE_SINGLE = replace(
    MVE,
    name="mve_single",
    numerics=OTHER_RULES,
    requires={"mve", "mve_float"},
)
KERNELS = (MVE_SINGLE,)
