"""DepthwiseConv2D of int8 by dsp_lines_listed.h: dsp_lines.h for sums with exceptions."""

from dataclasses import dataclass, replace
from functools import partial

from opsmith.op import OTHER_RULES
from opsmith.runtimes.core.dsp_requantization import Excepted

from .dsp_lines import DSP_LINES, DspLinesParams, plan


@dataclass(frozen=True, kw_only=True)
class LinesListedParams(Excepted, DspLinesParams):
    """Params of dsp_lines where some sums are exceptions to thresholds."""


DSP_LINES_LISTED = replace(
    DSP_LINES,
    name="dsp_lines_listed",
    params=LinesListedParams,
    plan=partial(plan, params=LinesListedParams),
    numerics=OTHER_RULES,
)
KERNELS = (DSP_LINES_LISTED,)
