"""DepthwiseConv2D of uint8 by dsp_general.h: four neighbouring channels of y, for every node."""

from opsmith.op import *
from runtimes.families.convolution import pixel_overlap
from runtimes.families.depthwise import DEPTHWISE, inside_cost, multiplier

from .params import Params, Tables

CHANNELS = 4  # of a pixel that the kernel computes before it writes any of them


def cost(node: NodeView) -> float:
    """Cost of four channels at a time, and of the channels left."""
    filters, channels = multiplier(node), node["y"].shape[3]
    per_tap = 3.4 if filters == 1 else 4.2 if filters % CHANNELS == 0 else 6.6
    left = channels % CHANNELS / channels
    blocks = 53.0 * (channels // CHANNELS)
    return inside_cost(per_tap + 6.5 * left, 57.0, blocks)(node)


KERNELS = (
    replace(
        DEPTHWISE.reference(Params, Tables, pixel_overlap),
        name="dsp_general",
        requires={"dsp"},
        copies=("memset",),  # of sums, at opt=size
        cost=cost,
    ),
)
