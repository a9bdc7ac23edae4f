"""Conv2D of int8 by rv32.h: four pixels and four channels at a time on RISC-V."""

from functools import partial

import numpy as np

from opsmith.op import ANY_RULE, Code, Kernel, NodeView, Plan, Refused, i32
from opsmith.runtimes.cmsis.dsp_packing import blocks_of_channels, filled_up
from opsmith.runtimes.core.dsp_requantization import DspRequantization
from opsmith.runtimes.families.convolution import CONVOLUTION, Packed, group_overlap, refused_window
from opsmith.runtimes.families.owning import listing, owning

from .params import ListedParams, OwnParams, ShiftParams
from .plain import MAX_WINDOW, STEP

PIXELS = 4  # of y that the kernel computes before it writes any of them
CHANNELS = 4  # whose weights lie side by side


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """Plan for one group, a limited window, and exact requantisation."""
    filled = -(-CONVOLUTION.inputs(node) // STEP) * STEP
    scratch = {"windows": PIXELS // 2 * filled}
    overlap = partial(group_overlap, node, PIXELS)
    return refused_window(node, MAX_WINDOW) or CONVOLUTION.proved(
        node, params, tables, scratch, overlap
    )


def tables(found: DspRequantization) -> Packed:
    """Filter by groups of four channels, with inputs padded to a multiple of four, and
    requantisation constants.
    """
    filled = np.pad(found.weights, ((0, 0), (0, -found.weights.shape[1] % STEP)))
    return Packed(blocks_of_channels(filled, CHANNELS), filled_up(found.table, CHANNELS))


def cost(node: NodeView) -> float:
    """Cost of groups of pixels and channels, full or not, and of windows."""
    _, height, width, channels = node["y"].shape
    groups = -(-height * width // PIXELS) * PIXELS
    inputs, filled = CONVOLUTION.inputs(node), -(-channels // CHANNELS) * CHANNELS
    steps = -(-inputs // STEP) * STEP
    per_pixel = (2.2 * steps + 9.0) * filled + 5.0 * inputs + 40.0
    return float(node["y"].shape[0] * (groups * per_pixel + 12.0 * height * width * channels))


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
KERNELS = (
    RV32,
    owning("conv_2d", RV32, plan, OwnParams),
    listing("conv_2d", RV32, plan, ListedParams),
)
