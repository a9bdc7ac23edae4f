"""DepthwiseConv2D of uint8 by dsp_general.h: four neighbouring channels of y, for every node."""

from dataclasses import replace

from opsmith.op import NodeView
from opsmith.runtimes.families.convolution import pixel_overlap
from opsmith.runtimes.families.depthwise import DEPTHWISE, multiplier

from .params import Params, Tables

CHANNELS = 4  # of a pixel that the kernel computes before it writes any of them


def cost(node: NodeView) -> float:
    """Cost of four channels at a time, and of the channels left."""
    channels = node["y"].shape[3]
    per_mac = 6.0 if multiplier(node) % CHANNELS == 0 else 9.0
    left = channels % CHANNELS / channels
    return DEPTHWISE.cost(per_mac * (1 - left) + 14.9 * left, 40.0)(node)


KERNELS = (
    replace(
        DEPTHWISE.reference(Params, Tables, pixel_overlap),
        name="dsp_general",
        requires={"dsp"},
        cost=cost,
    ),
)
