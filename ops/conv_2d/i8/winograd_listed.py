"""Conv2D of int8 by winograd_listed.h: as winograd.h, for sums some of which are exceptions."""

from dataclasses import dataclass, replace
from functools import partial

from opsmith.op import OTHER_RULES
from opsmith.runtimes.core.dsp_requantization import Excepted

from .winograd import WINOGRAD, WinogradParams, plan


@dataclass(frozen=True, kw_only=True)
class WinogradListedParams(Excepted, WinogradParams):
    """Params of winograd where some sums are exceptions to thresholds."""


WINOGRAD_LISTED = replace(
    WINOGRAD,
    name="winograd_listed",
    params=WinogradListedParams,
    plan=partial(plan, params=WinogradListedParams),
    numerics=OTHER_RULES,
)
KERNELS = (WINOGRAD_LISTED,)
