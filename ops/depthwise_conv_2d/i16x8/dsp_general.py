"""DepthwiseConv2D of int16 by dsp_general.h: any filter, four channels at a time."""

from opsmith.op import *
from runtimes.cmsis.dsp_packing import side_by_side
from runtimes.core.byte_layer import product_bounds
from runtimes.core.rescaling import WidthRequantization
from runtimes.families.convolution import Packed, geometry, pixel_overlap
from runtimes.families.depthwise import DEPTHWISE, WIDE, multiplier
from runtimes.families.window import inside_along

from .params import Params

CHANNELS = 4  # of a pixel that the kernel computes before it writes any of them


def plan(node: NodeView, *, wide: bool = False) -> Plan | Refused:
    """Plan for a block of channels, and sums of 32 bits; with `wide`, for sums of products of 32
    bits where others are refused.
    """
    if (channels := node["y"].shape[3]) < CHANNELS:
        return Refused(f"{channels} channels, fewer than {CHANNELS}")
    found = DEPTHWISE.int16(node)
    if wide and not found.wide:
        return Refused("all sums have 32 bits, as for dsp_general")
    low, high = product_bounds(DEPTHWISE.rows(node), node["x"].dtype.limits)
    fits = max(-int(low.min()), int(high.max())) <= i32.limits[1]
    if found.wide and not (wide and fits):
        return WIDE
    return Plan(
        DEPTHWISE.params(Params, node),
        partial(tables, node, found),
        overlap=partial(pixel_overlap, node, CHANNELS),
    )


def tables(node: NodeView, found: WidthRequantization) -> Packed:
    """Weights by blocks of four channels, of which the last block has the last four; and
    requantisation constants.
    """
    channels = node["y"].shape[3]
    starts = np.minimum(np.arange(0, channels, CHANNELS), channels - CHANNELS)
    table = found.table[starts[:, None] + np.arange(CHANNELS)]
    return Packed(side_by_side(node["filter"].data.reshape(-1, channels), starts), table)


def cost(node: NodeView) -> float:
    """Cost of blocks of four channels, full or not, and of rows and taps of their windows inside
    the image, in cycles of a Cortex-M4F.
    """
    batches, height, width, channels = node["y"].shape
    down, right = map(inside_along, geometry(node).axes)
    of_tap = 5.0 if multiplier(node) == 1 else 7.0
    of_channel = 14.0 * height * width + 10.0 * down * width + of_tap * down * right
    return batches * -(-channels // CHANNELS) * CHANNELS * of_channel


DSP_GENERAL = Kernel(
    "dsp_general",
    Params,
    plan,
    Packed,
    requires={"dsp"},
    cost=cost,
)
KERNELS = (DSP_GENERAL,)
