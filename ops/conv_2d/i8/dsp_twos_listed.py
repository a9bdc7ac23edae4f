"""Conv2D of int8 by dsp_twos_listed.h: dsp_twos.h for sums of which some are exceptions."""

from dataclasses import replace
from functools import partial

from opsmith.op import OTHER_RULES, Code

from .dsp import DspListedParams
from .dsp_twos import DSP_TWOS, plan

DSP_TWOS_LISTED = replace(
    DSP_TWOS,
    name="dsp_twos_listed",
    params=DspListedParams,
    plan=partial(plan, params=DspListedParams),
    numerics=OTHER_RULES,
    code=Code(instance=300, general=2600),  # which has no double rounding
)
KERNELS = (DSP_TWOS_LISTED,)
