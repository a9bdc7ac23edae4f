"""DepthwiseConv2D of float32 by fpu.h: eight channels of a pixel at a time."""

from opsmith.op import *
from opsmith.runtimes.families.convolution import geometry, pixel_overlap
from opsmith.runtimes.families.depthwise import DEPTHWISE, refused_multiplier
from opsmith.runtimes.families.real_convolution import Params, Tables
from opsmith.runtimes.families.window import taps_inside

CHANNELS = 8


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one filter for each of at least eight channels."""
    if refused := refused_multiplier(node):
        return refused
    if (channels := node["x"].shape[3]) < CHANNELS:
        return Refused(f"{channels} channels, fewer than {CHANNELS}")
    return Plan(
        DEPTHWISE.params(Params, node),
        partial(DEPTHWISE.params, Tables, node),
        overlap=partial(pixel_overlap, node, CHANNELS),
    )


def cost(node: NodeView) -> float:
    """Cost of blocks of eight channels, and of taps inside the image, in Cortex-M4F cycles."""
    batches, height, width, channels = node["y"].shape
    blocks, pixels = -(-channels // CHANNELS), batches * height * width
    return pixels * (65 + 225.0 * blocks) + 40.0 * blocks * taps_inside(geometry(node))


FPU = Kernel("fpu", Params, plan, Tables, requires={"fpu"}, cost=cost)
KERNELS = (FPU,)
