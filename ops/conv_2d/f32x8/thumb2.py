"""Conv2D of float32 by int8 filters by thumb2.h: two pixels and four channels at a time."""

from opsmith.op import Kernel, NodeView, Plan, Refused, f32, i8
from runtimes.core.channel_packing import blocks_of_channels
from runtimes.families.convolution import CONVOLUTION, Packed, filled_groups, groups
from runtimes.families.convolution_counts import blocks, groups_of_pixels
from runtimes.families.owning import grouping

from ..i8.thumb2 import CHANNELS, PIXELS
from .plain import SoftParams, constants, copied, soft_cost, soft_plan


def plan(node: NodeView, params: type[SoftParams] = SoftParams) -> Plan | Refused:
    """Plan for a limited window."""
    return soft_plan(node, PIXELS * CONVOLUTION.inputs(node), _tables, params)


def _tables(node: NodeView) -> Packed:
    rows = filled_groups(CONVOLUTION.rows(node), groups(node), CHANNELS)
    return Packed(blocks_of_channels(rows, CHANNELS), constants(node, CHANNELS))


def cost(node: NodeView) -> float:
    """Cost of windows that are copied, of products, and of soft floats."""
    inputs = CONVOLUTION.inputs(node)
    products = groups_of_pixels(node, PIXELS) * blocks(node, CHANNELS) * (60 + 19.7 * inputs)
    return copied(node, 5.5) + products + soft_cost(node)


THUMB2 = Kernel(
    "thumb2",
    SoftParams,
    plan,
    Packed,
    scratch={"image": i8, "windows": i8, "scales": f32},
    requires={"thumb2"},
    cost=cost,
    pixels=PIXELS,
)
KERNELS = (THUMB2, grouping("conv_2d/f32x8", THUMB2))
