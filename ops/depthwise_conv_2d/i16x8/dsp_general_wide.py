"""DepthwiseConv2D of int16 by dsp_general_wide.h: dsp_general.h for any multipliers and biases."""

from opsmith.op import *
from runtimes.families.depthwise import DEPTHWISE

from .dsp_general import DSP_GENERAL, plan

DSP_GENERAL_WIDE = replace(
    DSP_GENERAL,
    name="dsp_general_wide",
    plan=partial(plan, wide=True),
    cost=DEPTHWISE.cost(3.0, 75.0),
)
KERNELS = (DSP_GENERAL_WIDE,)
