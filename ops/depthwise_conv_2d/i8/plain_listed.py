"""DepthwiseConv2D of int8 by plain_listed.h: as plain.h, for sums some of which are exceptions."""

from dataclasses import replace
from functools import partial

from opsmith.op import OTHER_RULES

from .params import ListedParams
from .plain import PLAIN, plan

PLAIN_LISTED = replace(
    PLAIN,
    name="plain_listed",
    params=ListedParams,
    plan=partial(plan, params=ListedParams),
    numerics=OTHER_RULES,
)
KERNELS = (PLAIN_LISTED,)
