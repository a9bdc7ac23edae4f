"""Conv2D of int8 by dsp_grouped_listed.h: dsp_grouped.h for sums of which some are exceptions."""

from opsmith.op import *
from runtimes.families.convolution import groups
from runtimes.families.owning import listed

from .dsp_grouped import DSP_GROUPED

LISTED = listed(DSP_GROUPED)


def plan(node: NodeView) -> Plan | Refused:
    """Plan for groups of whole pairs of channels."""
    if node["y"].shape[3] // groups(node) % 2:
        return Refused("groups of an odd number of channels")
    return LISTED.plan(node)


KERNELS = (replace(LISTED, plan=plan),)
