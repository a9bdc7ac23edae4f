"""DepthwiseConv2D of int8 by mve_pixel_single.h: as mve_pixel.h, by factors in single precision."""

from opsmith.op import *

from .mve_pixel import MVE_PIXEL

MVE_PIXEL_SINGLE = replace(
    MVE_PIXEL,
    name="mve_pixel_single",
    numerics=OTHER_RULES,
    requires={"mve", "mve_float"},
)
KERNELS = (MVE_PIXEL_SINGLE,)
