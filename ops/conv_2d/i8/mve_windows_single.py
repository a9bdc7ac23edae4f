"""Conv2D of int8 by mve_windows_single.h: as mve_windows.h, by factors in single precision."""

from opsmith.op import *

from .mve_windows import MVE_WINDOWS

MVE_WINDOWS_SINGLE = replace(
    MVE_WINDOWS,
    name="mve_windows_single",
    numerics=OTHER_RULES,
    requires={"mve", "mve_float"},
)
KERNELS = (MVE_WINDOWS_SINGLE,)
