"""Conv2D of int8 by rv32.h: four pixels and four channels at a time on RISC-V."""

from opsmith.op import *
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
from .plain import MAX_WINDOW, STEP

PIXELS = 4  # of y that the kernel computes before it writes any of them
CHANNELS = 4  # whose weights lie side by side


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """Plan for a limited window, and exact requantisation."""
    filled = -(-CONVOLUTION.inputs(node) // STEP) * STEP
    scratch = {"windows": PIXELS // 2 * filled}
    overlap = partial(group_overlap, node, PIXELS, by_group=True)
    refused = refused_window(node, MAX_WINDOW, params) or refused_part(node, CHANNELS, params)
    return refused or CONVOLUTION.proved(
        node, params, partial(tables, groups(node)), scratch, overlap
    )


def tables(count: int, found: DspRequantization) -> Packed:
    """Filter of `count` groups by blocks of four channels, with inputs padded to a multiple of
    four, and requantisation constants.
    """
    rows = filled_groups(found.weights, count, CHANNELS)
    filled = np.pad(rows, ((0, 0), (0, -rows.shape[1] % STEP)))
    return Packed(blocks_of_channels(filled, CHANNELS), filled_up(found.table, CHANNELS))


def cost(node: NodeView) -> float:
    """Cost of groups of pixels and channels, full or not, and of windows."""
    filled = -(-CONVOLUTION.inputs(node) // STEP) * STEP
    of_blocks = blocks(node, CHANNELS) * CHANNELS * (2.2 * filled + 9.0) + 40.0
    products = groups_of_pixels(node, PIXELS) * PIXELS * of_blocks
    return products + gathered(node, 5.0) + 12.0 * node["y"].elements


RV32 = Kernel(
    "rv32",
    ShiftParams,
    plan,
    Packed,
    scratch={"windows": i32},
    numerics=ANY_RULE,
    requires={"rv32m"},
    cost=cost,
    code=Code(instance=830, general=2600, slowdown=1.04),
    pixels=PIXELS,
)
RV32_GROUPED = grouping("conv_2d/i8", RV32)
KERNELS = (
    *with_ways("conv_2d/i8", RV32, owning, listing),
    *with_ways("conv_2d/i8", RV32_GROUPED, owning, listing),
)
