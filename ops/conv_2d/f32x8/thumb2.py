"""Conv2D of float32 by int8 filters by thumb2.h: two pixels and four channels at a time."""

from opsmith.op import Kernel, NodeView, Plan, Refused, f32, i8
from opsmith.runtimes.core.channel_packing import blocks_of_channels
from opsmith.runtimes.families.convolution import CONVOLUTION, Packed
from opsmith.runtimes.families.convolution_counts import groups_of_pixels, pixels

from ..i8.thumb2 import CHANNELS, PIXELS
from .plain import SoftParams, constants, soft_cost, soft_plan


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one group and a limited window."""
    return soft_plan(node, PIXELS * CONVOLUTION.inputs(node), _tables)


def _tables(node: NodeView) -> Packed:
    return Packed(blocks_of_channels(CONVOLUTION.rows(node), CHANNELS), constants(node, CHANNELS))


def cost(node: NodeView) -> float:
    """Cost of windows that are copied, of products, and of soft floats."""
    inputs, blocks = CONVOLUTION.inputs(node), -(-node["y"].shape[3] // CHANNELS)
    products = groups_of_pixels(node, PIXELS) * blocks * (60 + 19.7 * inputs)
    return 5.5 * pixels(node) * inputs + products + soft_cost(node)


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
KERNELS = (THUMB2,)
