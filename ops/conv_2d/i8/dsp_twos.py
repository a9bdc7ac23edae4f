"""Conv2D of int8 by dsp_twos.h: weights of four channels, windows of two pixels at a time."""

from opsmith.op import *
from runtimes.cmsis.convolution_costs import ROUNDED, clamping, large_multipliers, words
from runtimes.cmsis.dsp_code import two_pixel_functions
from runtimes.cmsis.dsp_packing import paired
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.convolution import Packed, group_overlap
from runtimes.families.convolution_counts import groups_of_pixels

from .dsp import PIXELS as GROUP
from .dsp import DspParams, instance_code, planned, windows

# Cycles of a Cortex-M4F for four channels of two pixels, for four inputs of these, and for four
# pixels.
PER_BLOCK, PER_WORD, PER_GROUP = 47.0, 32.0, 100.0
BLOCK = 4  # channels
PIXELS = 2  # of y that are computed together


def plan(node: NodeView, params: type[DspParams] = DspParams) -> Plan | Refused:
    """Plan of the kernel `dsp`, with tables in blocks of four channels."""
    overlap = partial(group_overlap, node, GROUP)
    found = planned(node, overlap, {}, params=params, mixed=0, tables=tables)
    if isinstance(found, Refused):
        return found
    code = instance_code(node)
    shared = {**code.shared, **two_pixel_functions(found.params)}
    return replace(found, code=replace(code, shared=shared))


def tables(found: DspRequantization) -> Packed:
    """Filter by pairs within blocks of channels, and requantisation constants."""
    table = found.table if found.right else halved(found.table)
    return Packed(paired(found.weights, BLOCK), filled_up(table, BLOCK))


def halved(table: NDArray[np.int32]) -> NDArray[np.int32]:
    """Constants of double rounding whose shifts, of eight bits, are one less: the last bit is
    shifted out after the zero point is added.
    """
    rest = table[:, 2]
    last = (rest >> 5 << 8) + (rest & 31) - 1
    return np.stack([table[:, 0], table[:, 1], last], axis=1)


def cost(node: NodeView) -> float:
    """Cost of pairs of pixels and of four channels, full or not, and of groups of pixels."""
    blocks = groups_of_pixels(node, PIXELS) * -(-node["y"].shape[3] // BLOCK)
    rounded = ROUNDED * (large_multipliers(node) > 0)
    of_blocks = blocks * (PER_BLOCK + rounded + PER_WORD * words(node))
    of_groups = 100 + PER_GROUP * groups_of_pixels(node) + windows(node)
    return of_groups + of_blocks + clamping(node, node["y"].elements, 22.0)


DSP_TWOS = Kernel(
    "dsp_twos",
    DspParams,
    plan,
    Packed,
    scratch={"columns": i32, "window": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy", "memset"),  # windows at the border
    cost=cost,
    paces={"dual_issue": 0.82},
    code=Code(instance=300, general=2900),  # which has both ways to requantise
    pixels=PIXELS,
)
KERNELS = (DSP_TWOS,)
