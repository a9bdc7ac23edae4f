"""Conv2D of int8 by plain_listed.h: as plain.h, for sums some of which are exceptions."""

from dataclasses import dataclass, replace
from functools import partial

from opsmith.op import OTHER_RULES
from opsmith.runtimes.core.dsp_requantization import Excepted

from .plain import PLAIN, PlainParams, plan


@dataclass(frozen=True, kw_only=True)
class PlainListedParams(Excepted, PlainParams):
    """Params of plain where some sums are exceptions to thresholds."""


PLAIN_LISTED = replace(
    PLAIN,
    name="plain_listed",
    params=PlainListedParams,
    plan=partial(plan, params=PlainListedParams),
    numerics=OTHER_RULES,
)
KERNELS = (PLAIN_LISTED,)
