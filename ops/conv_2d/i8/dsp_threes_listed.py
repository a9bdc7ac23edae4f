"""Conv2D of int8 by dsp_threes_listed.h: dsp_threes.h for sums of which some are exceptions."""

from dataclasses import replace
from functools import partial

from opsmith.op import OTHER_RULES

from .dsp import DspListedParams
from .dsp_threes import DSP_THREES, plan

DSP_THREES_LISTED = replace(
    DSP_THREES,
    name="dsp_threes_listed",
    params=DspListedParams,
    plan=partial(plan, params=DspListedParams),
    numerics=OTHER_RULES,
)
KERNELS = (DSP_THREES_LISTED,)
