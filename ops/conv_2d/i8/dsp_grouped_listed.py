"""Conv2D of int8 by dsp_grouped_listed.h: dsp_grouped.h for sums of which some are exceptions."""

from dataclasses import dataclass, replace

from opsmith.op import OTHER_RULES, NodeView, Plan, Refused
from opsmith.runtimes.core.dsp_requantization import Excepted
from opsmith.runtimes.families.convolution import groups

from .dsp_grouped import DSP_GROUPED, DspGroupedParams
from .dsp_grouped import plan as plan_of_groups


@dataclass(frozen=True, kw_only=True)
class DspGroupedListedParams(Excepted, DspGroupedParams):
    """Params of dsp_grouped where some sums are exceptions to thresholds."""


def plan(node: NodeView) -> Plan | Refused:
    """Plan for groups of whole pairs of channels."""
    if node["y"].shape[3] // groups(node) % 2:
        return Refused("groups of an odd number of channels")
    return plan_of_groups(node, DspGroupedListedParams)


DSP_GROUPED_LISTED = replace(
    DSP_GROUPED,
    name="dsp_grouped_listed",
    params=DspGroupedListedParams,
    plan=plan,
    numerics=OTHER_RULES,
)
KERNELS = (DSP_GROUPED_LISTED,)
