"""DepthwiseConv2D of int8 by dsp_listed.h: as dsp.h, for sums some of which are exceptions."""

from dataclasses import dataclass, replace
from functools import partial

from opsmith.op import OTHER_RULES
from opsmith.runtimes.core.dsp_requantization import Excepted

from .dsp import DSP, PlaneParams, plan


@dataclass(frozen=True, kw_only=True)
class PlaneListedParams(Excepted, PlaneParams):
    """Params of dsp where some sums are exceptions to thresholds."""


DSP_LISTED = replace(
    DSP,
    name="dsp_listed",
    params=PlaneListedParams,
    plan=partial(plan, params=PlaneListedParams),
    numerics=OTHER_RULES,
)
KERNELS = (DSP_LISTED,)
