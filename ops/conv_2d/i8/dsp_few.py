"""Conv2D of int8 by dsp_few.h: windows of one pixel, a channel at a time."""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.convolution import (
    CONVOLUTION,
    Packed,
    pixel_overlap,
    reads_pixels,
    refused_groups,
)

from .params import ShiftParams

UNROLLED = 8  # channels of a pixel that the compiler takes apart


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one group, and windows that are the pixels of x."""
    if refused := refused_groups(node):
        return refused
    if not reads_pixels(node) or node["x"].shape[:3] != node["y"].shape[:3]:
        return Refused("windows are not the pixels of x")
    return CONVOLUTION.proved(node, ShiftParams, tables, overlap=partial(pixel_overlap, node))


def tables(found: DspRequantization) -> Packed:
    """Filter channel by channel, and requantisation constants."""
    return Packed(found.weights, found.table)


def cost(node: NodeView) -> float:
    """Cost of words of inputs, of those that fill none, and of outputs, in a loop where these are
    many, in cycles of a Cortex-M4F.
    """
    words, rest = divmod(node["x"].shape[3], 4)
    looped = node["y"].shape[3] > UNROLLED
    return node["y"].elements * (13.0 + 10.0 * words + 5.0 * rest + 13.0 * looped)


DSP_FEW = Kernel(
    "dsp_few",
    ShiftParams,
    plan,
    Packed,
    numerics=ANY_RULE,
    requires={"dsp"},
    cost=cost,
    code=Code(instance=180, general=420, slowdown=1.1),
)
KERNELS = (DSP_FEW,)
