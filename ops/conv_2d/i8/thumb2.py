"""Conv2D of int8 by thumb2.h: two pixels and four channels at a time."""

from functools import partial

from opsmith.op import ANY_RULE, Kernel, NodeView, Plan, Refused, i8
from opsmith.runtimes.cmsis.convolution_costs import (
    groups_of_pixels,
    large_multipliers,
    pixels,
)
from opsmith.runtimes.cmsis.dsp_packing import blocks_of_channels, filled_up
from opsmith.runtimes.core.dsp_requantization import DspRequantization
from opsmith.runtimes.families.convolution import CONVOLUTION, Packed, group_overlap, refused_window
from opsmith.runtimes.families.owning import owning

from .params import OwnParams, ShiftParams
from .plain import MAX_WINDOW

PIXELS = 2  # of y that the kernel computes before it writes any of them
CHANNELS = 4  # whose weights lie side by side


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """Plan for one group, a limited window, and exact requantisation."""
    scratch = {"windows": PIXELS * CONVOLUTION.inputs(node)}
    overlap = partial(group_overlap, node, PIXELS)
    return refused_window(node, MAX_WINDOW) or CONVOLUTION.proved(
        node, params, tables, scratch, overlap
    )


def tables(found: DspRequantization) -> Packed:
    """Filter by groups of four channels, and requantisation constants."""
    return Packed(blocks_of_channels(found.weights, CHANNELS), filled_up(found.table, CHANNELS))


def cost(node: NodeView) -> float:
    """Cost of windows that are copied, and of groups of pixels and channels, full or not, in
    cycles of a Cortex-M4F.
    """
    groups, inputs = groups_of_pixels(node, PIXELS), CONVOLUTION.inputs(node)
    blocks = -(-node["y"].shape[3] // CHANNELS)
    of_blocks = blocks * (270 + 19.7 * inputs) + 80.0 * large_multipliers(node)
    return 5.5 * pixels(node) * inputs + groups * of_blocks


THUMB2 = Kernel(
    "thumb2",
    ShiftParams,
    plan,
    Packed,
    scratch={"windows": i8},
    numerics=ANY_RULE,
    requires={"thumb2"},
    cost=cost,
    pixels=PIXELS,
)
KERNELS = (THUMB2, owning("conv_2d", THUMB2, plan, OwnParams))
