"""DepthwiseConv2D of float32 by int8 filters by dsp_general.h: any filter, a channel in a plane."""

from opsmith.op import *
from runtimes.cmsis.dsp_dynamic_range import QUANTIZED, largest_scale
from runtimes.families.convolution import Packed
from runtimes.families.depthwise import DEPTHWISE, refused_plane
from runtimes.families.dynamic_range import image_overlap, real_channels, real_rows
from runtimes.families.layer import RealClamped

from ..i8.dsp_general import OUTPUTS, PlaneLines, filled_lines, line_axes, plane_lines
from .dsp import image_cost


@dataclass(frozen=True, kw_only=True)
class GeneralParams(RealClamped, PlaneLines):
    """Lines of samples whose filter is read by words, and the bounds of y."""

    filter_words: int  # of a line of the filter: one for each four samples
    largest_scale: float  # float32, of an image with which no output is infinite


def plan(node: NodeView) -> Plan | Refused:
    """Plan for samples that are neighbours, and a limited plane."""
    lines, samples = line_axes(node)
    if samples.dilation != 1:
        return Refused(f"filter is dilated by {samples.dilation} along its lines")
    p = plane_lines(node, lines, samples)
    if refused := refused_plane(node, p["plane_bytes"], "bytes"):
        return refused
    words, largest = -(-samples.filter // 4), largest_scale(real_rows(DEPTHWISE, node))
    given = {**p, "filter_words": words, "largest_scale": largest, "input_zero_point": 0}
    scratch = {"image": node["x"].elements // node["x"].shape[0], "plane": p["plane_bytes"]}
    params = DEPTHWISE.params(GeneralParams, node, **given)
    return Plan(params, partial(tables, node), scratch, partial(image_overlap, node))


def tables(node: NodeView) -> Packed:
    """Filter line by line, in whole words, and the constants of channels."""
    rows = real_rows(DEPTHWISE, node)
    return Packed(filled_lines(node, rows.weights), real_channels(rows, 1))


def cost(node: NodeView) -> float:
    """Cost of products and outputs, of beginning each channel, and of the image."""
    lines, samples = line_axes(node)
    computed = lines.output * -(-samples.output // OUTPUTS) * OUTPUTS
    each = 16 + lines.filter * (7.0 * -(-samples.filter // 4) + 4.2)
    outputs = node["x"].shape[0] * node["y"].shape[3] * (40 + computed * each)
    return outputs + 2.4 * node["x"].elements + image_cost(node)


DSP_GENERAL = Kernel(
    "dsp_general",
    GeneralParams,
    plan,
    Packed,
    scratch={"image": i8, "plane": i8},
    requires={"dsp", "fpu"},
    copies=("memset",),
    cost=cost,
    code=Code(instance=1500, general=1900, shared=QUANTIZED),
)
KERNELS = (DSP_GENERAL,)
