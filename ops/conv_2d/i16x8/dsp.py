"""Conv2D of int16 by dsp.h: the windows of four pixels and two channels at a time."""

from opsmith.op import *
from runtimes.cmsis.convolution_costs import pairs_of_channels, whole_windows
from runtimes.cmsis.dsp_packing import interleaved_in_order
from runtimes.cmsis.dsp_padding import whole_words
from runtimes.core.rescaling import WidthRequantization
from runtimes.families.convolution import (
    CONVOLUTION,
    Packed,
    elements_of_rest,
    group_overlap,
    refused_groups,
)
from runtimes.families.convolution_counts import groups_of_pixels, pixels

from .params import WidthParams

PIXELS = 4  # of y that the kernel computes before it writes any of them
MAX_STEPS = 640  # words of inputs of an output element that scratch has room for


@dataclass(frozen=True, kw_only=True)
class DspParams(WidthParams):
    """Geometry, output limits, and scratch for a window."""

    row: int  # inputs that a row of a window takes, whole words


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one group, and limited scratch."""
    if refused := refused_groups(node):
        return refused
    _, height, width, inputs = node["filter"].shape
    row = whole_words(width * inputs, i16.size)
    steps = height * row // 2
    if steps > MAX_STEPS:
        return Refused(f"a window has {steps} pairs of inputs, more than {MAX_STEPS}")
    found = CONVOLUTION.int16(node)
    return Plan(
        CONVOLUTION.params(DspParams, node, wide=found.wide, row=row),
        partial(tables, node, row, found),
        {"columns": PIXELS * steps, "rest": elements_of_rest(node, PIXELS)},
        partial(group_overlap, node, PIXELS),
    )


def tables(node: NodeView, row: int, found: WidthRequantization) -> Packed:
    """Filter [channels / 2][filter_height][row of inputs / 2][2 x 2 bytes], and requantisation
    constants [channels].
    """
    channels, height, width, inputs = node["filter"].shape
    rows = node["filter"].data.reshape(channels, height, width * inputs)
    whole = np.pad(rows, ((0, 0), (0, 0), (0, row - width * inputs)))
    return Packed(interleaved_in_order(whole.reshape(channels, -1)), found.table)


def cost(node: NodeView) -> float:
    """Cost of windows that are unpacked, and of products by groups of pixels and pairs of channels,
    full or not, in cycles of a Cortex-M4F.
    """
    _, height, width, inputs = node["filter"].shape
    wide, whole = CONVOLUTION.int16(node).wide, whole_windows(node)
    halves = height * whole_words(width * inputs, i16.size) // 2
    per_pair, per_half = (310.0, 29.0) if wide else (87.0, 18.3)
    groups = groups_of_pixels(node) * (
        32 + pairs_of_channels(node) * (per_pair + per_half * halves)
    )
    taps = (pixels(node) - whole) * height * width
    return 100 + groups + 22.0 * whole * height + 8.0 * taps + 4.9 * pixels(node) * halves


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    Packed,
    scratch={"columns": i32, "rest": i16},
    requires={"dsp"},
    copies=("memcpy",),  # of a last group of pixels
    cost=cost,
    code=Code(instance=200, general=1650, slowdown=1.06),
    pixels=4,
)
KERNELS = (KernelsFor({"B": i64}, (DSP,)),)
