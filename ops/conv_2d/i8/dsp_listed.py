"""Conv2D of int8 by dsp_listed.h: as dsp.h, for sums some of which are exceptions."""

from dataclasses import replace
from functools import partial

from opsmith.op import OTHER_RULES

from .dsp import DSP, DspListedParams, plan

DSP_LISTED = replace(
    DSP,
    name="dsp_listed",
    params=DspListedParams,
    plan=partial(plan, params=DspListedParams),
    numerics=OTHER_RULES,
)
KERNELS = (DSP_LISTED,)
