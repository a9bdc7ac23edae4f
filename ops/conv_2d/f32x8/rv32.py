"""Conv2D of float32 by int8 filters, by rv32.h: four pixels and channels at a time on RISC-V."""

from opsmith.op import *
from runtimes.core.channel_packing import blocks_of_channels
from runtimes.families.convolution import CONVOLUTION, Packed, filled_groups, groups
from runtimes.families.convolution_counts import blocks, groups_of_pixels
from runtimes.families.owning import grouping

from ..i8.plain import STEP
from ..i8.rv32 import CHANNELS, PIXELS
from .plain import SoftParams, constants, soft_cost, soft_plan


def plan(node: NodeView, params: type[SoftParams] = SoftParams) -> Plan | Refused:
    """Plan for a limited window."""
    return soft_plan(node, PIXELS // 2 * filled(node), _tables, params)


def filled(node: NodeView) -> int:
    """Inputs of a window, up to a multiple of four."""
    return -(-CONVOLUTION.inputs(node) // STEP) * STEP


def _tables(node: NodeView) -> Packed:
    rows = filled_groups(CONVOLUTION.rows(node), groups(node), CHANNELS)
    wide = np.pad(rows, ((0, 0), (0, -rows.shape[1] % STEP)))
    return Packed(blocks_of_channels(wide, CHANNELS), constants(node, CHANNELS))


def cost(node: NodeView) -> float:
    """Cost of windows that are copied, of products, and of soft floats."""
    inputs, channels = filled(node), blocks(node, CHANNELS) * CHANNELS
    pixels = groups_of_pixels(node, PIXELS) * PIXELS
    windows = groups(node) * (5.0 * inputs + 40)
    return pixels * ((2.2 * inputs + 9.0) * channels + windows) + soft_cost(node)


RV32 = Kernel(
    "rv32",
    SoftParams,
    plan,
    Packed,
    scratch={"image": i8, "windows": i32, "scales": f32},
    requires={"rv32m"},
    cost=cost,
    pixels=PIXELS,
)
KERNELS = (RV32, grouping("conv_2d/f32x8", RV32))
