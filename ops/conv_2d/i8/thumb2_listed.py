"""Conv2D of int8 by thumb2_listed.h: as thumb2.h, for sums some of which are exceptions."""

from dataclasses import replace
from functools import partial

from opsmith.op import OTHER_RULES

from .params import ListedParams
from .thumb2 import THUMB2, plan

THUMB2_LISTED = replace(
    THUMB2,
    name="thumb2_listed",
    params=ListedParams,
    plan=partial(plan, params=ListedParams),
    numerics=OTHER_RULES,
)
KERNELS = (THUMB2_LISTED,)
