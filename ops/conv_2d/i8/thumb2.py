"""Conv2D of int8 by thumb2.h: two pixels and four channels at a time."""

from opsmith.op import *
from runtimes.cmsis.convolution_costs import large_multipliers
from runtimes.core.channel_packing import blocks_of_channels, filled_up
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.convolution import (
    CONVOLUTION,
    Packed,
    filled_groups,
    group_overlap,
    groups,
    refused_window,
)
from runtimes.families.convolution_counts import blocks, gathered, groups_of_pixels
from runtimes.families.owning import grouping, listing, owning, with_ways

from .params import ShiftParams, refused_part
from .plain import MAX_WINDOW

PIXELS = 2  # of y that the kernel computes before it writes any of them
CHANNELS = 4  # whose weights lie side by side


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """Plan for a limited window, and exact requantisation."""
    scratch = {"windows": PIXELS * CONVOLUTION.inputs(node)}
    overlap = partial(group_overlap, node, PIXELS, by_group=True)
    refused = refused_window(node, MAX_WINDOW, params) or refused_part(node, CHANNELS, params)
    return refused or CONVOLUTION.proved(
        node, params, partial(tables, groups(node)), scratch, overlap
    )


def tables(count: int, found: DspRequantization) -> Packed:
    """Filter of `count` groups by blocks of four channels, and requantisation constants."""
    filled = filled_groups(found.weights, count, CHANNELS)
    return Packed(blocks_of_channels(filled, CHANNELS), filled_up(found.table, CHANNELS))


def cost(node: NodeView) -> float:
    """Cost of copied windows, and of groups of pixels and channels, in Cortex-M4F cycles."""
    of_blocks = blocks(node, CHANNELS) * (270 + 19.7 * CONVOLUTION.inputs(node))
    of_pixels = of_blocks + 80.0 * large_multipliers(node)
    return gathered(node, 5.5) + groups_of_pixels(node, PIXELS) * of_pixels


THUMB2 = Kernel(
    "thumb2",
    ShiftParams,
    plan,
    Packed,
    scratch={"windows": i8},
    numerics=ANY_RULE,
    requires={"thumb2"},
    cost=cost,
    paces={"slow_mla": 1.3, "mve": 0.8},
    pixels=PIXELS,
)
THUMB2_GROUPED = grouping("conv_2d/i8", THUMB2)
KERNELS = (
    *with_ways("conv_2d/i8", THUMB2, owning),
    *with_ways("conv_2d/i8", THUMB2_GROUPED, owning, listing),
)
