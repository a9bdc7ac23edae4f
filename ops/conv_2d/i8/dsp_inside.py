"""Conv2D of int8 by dsp_inside.h: as dsp.h, without taps that lie outside x for all four pixels."""

from opsmith.op import *
from runtimes.cmsis.convolution_costs import (
    PER_PAIR,
    PER_WORD,
    ROUNDED,
    clamping,
    large_multipliers,
    own_channels,
)
from runtimes.cmsis.dsp_code import pixel_functions
from runtimes.cmsis.dsp_packing import APART
from runtimes.families.convolution import (
    CONVOLUTION,
    Packed,
    elements_of_rest,
    geometry,
    group_overlap,
    reads_pixels,
    refused_groups,
)
from runtimes.families.convolution_counts import groups_of_pixels
from runtimes.families.owning import listing, owning, singling, unpaired, with_ways
from runtimes.families.window import inside

from . import dsp

WORTH = 0.95  # of the taps: where more are multiplied, dsp has less to do for each group
PER_GROUP, PER_INPUTS = 400, 26.0  # cycles of a Cortex-M4F; of four inputs of four pixels
LARGEST_IMAGE = 1 << 16  # pixels of y; the border of a larger one is not worth it
CODE = Code(instance=580, general=3340, slowdown=1.05)  # which has both ways to requantise


def plan(node: NodeView, params: type[dsp.DspParams] = dsp.DspParams) -> Plan | Refused:
    """Plan as of dsp, for channels in whole words and windows that reach beyond the image."""
    inputs = node["x"].shape[3]
    if inputs % 4:
        return Refused(f"{inputs} input channels, not a multiple of 4")
    if refused := refused_groups(node):
        return refused
    if reads_pixels(node):
        return Refused("each window is a pixel of x, which dsp reads where it is")
    down, right = geometry(node).axes
    if (pixels := down.output * right.output) > LARGEST_IMAGE:
        return Refused(f"an image of y has {pixels} pixels, more than {LARGEST_IMAGE}")
    multiplied = taps_inside(node)
    if (inside := multiplied.mean() * inputs / CONVOLUTION.inputs(node)) > WORTH:
        return Refused(f"{inside:.1%} of the taps are inside, for which dsp has less to do")
    overlap = partial(group_overlap, node, dsp.PIXELS)
    rest = {"rest": elements_of_rest(node, dsp.PIXELS)}
    found = dsp.planned(node, overlap, rest, origin=node["x"].zero_point, params=params)
    if isinstance(found, Refused):
        return found
    code = replace(CODE, shared=pixel_functions(found.params, parts=True))
    columns = dsp.PIXELS // 2 * int(multiplied.max()) * inputs
    return replace(found, scratch={"columns": columns, **rest}, code=code)


def taps_inside(node: NodeView) -> NDArray[np.int64]:
    """Number of taps that are multiplied for each group of pixels."""
    down, right = geometry(node).axes
    size, pixels = down.window * right.window, down.output * right.output
    (top, bottom), (left, end) = (inside(axis) for axis in (down, right))
    first = (top[:, None] * right.window + left).reshape(-1)
    last = ((bottom[:, None] - 1) * right.window + end).reshape(-1)
    starts = np.arange(0, pixels, dsp.PIXELS)
    taps = np.maximum.reduceat(last, starts) - np.minimum.reduceat(first, starts)
    return np.asarray(np.clip(taps, 1, size))


def cost(node: NodeView) -> float:
    """Cost of groups of pixels, by the taps that are multiplied."""
    groups, pairs = groups_of_pixels(node), -(-node["y"].shape[3] // 2)
    inside = float(taps_inside(node).mean()) * node["x"].shape[3] / 4  # words
    of_pair = PER_PAIR + ROUNDED * (large_multipliers(node) > 0) + PER_WORD * inside
    clamped = clamping(node, dsp.PIXELS * node["y"].shape[3])
    return 100 + groups * (PER_GROUP + PER_INPUTS * inside + pairs * of_pair + clamped)


def apart(node: NodeView) -> float:
    """Additional cost of weights that are stored apart, in instructions."""
    return (
        CONVOLUTION.cost(APART, 0.0)(node)
        * float(taps_inside(node).mean())
        * (node["x"].shape[3] / CONVOLUTION.inputs(node))
    )


DSP_INSIDE = Kernel(
    "dsp_inside",
    dsp.DspParams,
    plan,
    Packed,
    scratch={"columns": i32, "rest": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy",),  # a last group of pixels
    cost=cost,
    code=CODE,
    pixels=4,
)
DSP_INSIDE_OWN = owning("conv_2d/i8", DSP_INSIDE, more=own_channels)
DSP_INSIDE_UNPAIRED = unpaired("conv_2d/i8", DSP_INSIDE, apart)
KERNELS = (
    *with_ways("conv_2d/i8", DSP_INSIDE, listing, singling),
    DSP_INSIDE_OWN,
    *with_ways("conv_2d/i8", DSP_INSIDE_UNPAIRED, owning, singling),
)
