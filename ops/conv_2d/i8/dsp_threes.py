"""Conv2D of int8 by dsp_threes.h: as dsp.h, with the last pixels of an image in groups of three."""

from opsmith.op import *
from runtimes.cmsis.convolution_costs import Figures, large_multipliers, pairs_of_channels, products
from runtimes.cmsis.dsp_code import pixel_functions, three_pixel_functions
from runtimes.cmsis.dsp_packing import APART
from runtimes.families.convolution import CONVOLUTION, Packed, group_overlap
from runtimes.families.convolution_counts import groups_of_pixels
from runtimes.families.owning import owning, unpaired

from .dsp import PIXELS, DspParams, instance_code, planned, windows

THREE = 3
OF_THREE = Figures(THREE, 42.0, 26.0)
MORE_IN_THREES = 13.0  # instructions of the general form, for each output in a group of three
MORE_ROUNDED = 20.0  # and for each one of a layer with large multipliers


def plan(node: NodeView, params: type[DspParams] = DspParams) -> Plan | Refused:
    """Plan for images that groups of four and three pixels fill, but groups of four do not."""
    _, height, width, _ = node["y"].shape
    pixels = height * width
    in_threes = THREE * (-pixels % PIXELS)
    if in_threes == 0:
        return Refused(f"groups of four pixels fill an image of {pixels}, which dsp computes")
    if in_threes > pixels:
        return Refused(f"groups of three and four pixels do not fill an image of {pixels}")
    starts = *range(0, pixels - in_threes, PIXELS), *range(pixels - in_threes, pixels, THREE)
    found = planned(node, partial(group_overlap, node, starts), {}, params=params, mixed=0)
    if isinstance(found, Refused):
        return found
    code, outputs = instance_code(node), in_threes * node["y"].shape[3] * node["y"].shape[0]
    of_pixels = {**pixel_functions(found.params), **three_pixel_functions(found.params)}
    shared = {**code.shared, **of_pixels}
    more = MORE_IN_THREES * outputs
    if large_multipliers(node):
        more += MORE_ROUNDED * node["y"].elements
    slowdown = code.slowdown + more / cost(node)
    own = code.instance + 20
    return replace(found, code=replace(code, instance=own, slowdown=slowdown, shared=shared))


def cost(node: NodeView) -> float:
    """Cost of dsp, with groups of three pixels in place of the last ones of each image."""
    batches, height, width, _ = node["y"].shape
    threes = -height * width % PIXELS
    fours = (height * width - THREE * threes) // PIXELS
    groups = 40 * (threes + fours) * batches
    of_threes = products(node, threes * batches, OF_THREE)
    return 100 + groups + windows(node) + products(node, fours * batches) + of_threes


def _rounded(per_pair: float, node: NodeView) -> float:
    """Additional cost of channels that are all rounded, as some of them have large multipliers."""
    return per_pair * groups_of_pixels(node) * pairs_of_channels(node)


DSP_THREES = Kernel(
    "dsp_threes",
    DspParams,
    plan,
    Packed,
    scratch={"columns": i32, "window": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy", "memset"),  # windows at the border
    cost=cost,
    code=Code(instance=360, general=5300),  # which has both ways to requantise, of both groups
    pixels=3,
)
DSP_THREES_OWN = owning("conv_2d/i8", DSP_THREES, more=partial(_rounded, 20.0))
DSP_THREES_UNPAIRED = unpaired("conv_2d/i8", DSP_THREES, CONVOLUTION.cost(APART, 0.0))
DSP_THREES_UNPAIRED_OWN = owning("conv_2d/i8", DSP_THREES_UNPAIRED, more=partial(_rounded, 65.0))
KERNELS = (DSP_THREES, DSP_THREES_OWN, DSP_THREES_UNPAIRED, DSP_THREES_UNPAIRED_OWN)
