"""Conv2D of float32 by int8 filters by dsp_grouped.h: groups of channels, four pixels at a time."""

from opsmith.op import *
from runtimes.cmsis.dsp_dynamic_range import FOUR_REAL_PIXELS, refused_weights
from runtimes.cmsis.dsp_packing import paired
from runtimes.cmsis.dsp_padding import whole_words
from runtimes.families.convolution import (
    CONVOLUTION,
    Grouped,
    Packed,
    elements_of_rest,
    filled_groups,
    groups,
    refused_window,
)
from runtimes.families.convolution_counts import pixels
from runtimes.families.dynamic_range import image_overlap, real_channels, real_rows

from .dsp import MAX_WINDOW, PER_MAC, PIXELS, DspParams, image_cost, image_facts, per_output

CODE = Code(680, general=1000 + 2472, slowdown=1.25, shared=FOUR_REAL_PIXELS)
GENERAL = 130.0  # cycles more of the general form for a window of a group


@dataclass(frozen=True, kw_only=True)
class GroupedParams(Grouped, DspParams):
    """Params of dsp, and the groups of channels."""


def plan(node: NodeView) -> Plan | Refused:
    """Plan for several groups, a limited window, and weights that fit in pairs."""
    if refused := refused_window(node, MAX_WINDOW, GroupedParams):
        return refused
    count = groups(node)
    rows = filled_groups(CONVOLUTION.rows(node), count, 2)
    if refused := refused_weights(rows, asymmetric=True):
        return refused
    window = whole_words(CONVOLUTION.inputs(node))
    scratch = {
        "image": node["x"].elements // node["x"].shape[0],
        "columns": PIXELS // 2 * window,
        "window": 0 if node["filter"].shape[3] % 4 == 0 else window,
        "rest": elements_of_rest(node, PIXELS),
    }
    params = CONVOLUTION.params(GroupedParams, node, **image_facts(node))
    slower = 1 + GENERAL * pixels(node) * count / cost(node)
    return Plan(
        params,
        partial(tables, node),
        scratch,
        partial(image_overlap, node),
        code=replace(CODE, slowdown=slower),
    )


def tables(node: NodeView) -> Packed:
    """Filter by pairs of channels within a group, and constants of each channel."""
    count = groups(node)
    weights = paired(filled_groups(CONVOLUTION.rows(node), count, 2), 2)
    return Packed(weights, filled_groups(real_channels(real_rows(CONVOLUTION, node), 1), count, 2))


def cost(node: NodeView) -> float:
    """Cost of products, of stores, of windows unpacked for each group, and of quantising."""
    _, height, width, inputs = node["filter"].shape
    count, channels = groups(node), node["y"].shape[3]
    _, rows, columns, _ = node["y"].shape
    filled = -(-rows * columns // PIXELS) * PIXELS * node["y"].shape[0]
    pairs = -(-channels // count // 2) * 2
    spread = 5 + height * width * (0.9 * whole_words(inputs) + 12)
    multiplied = pairs * (PER_MAC * whole_words(CONVOLUTION.inputs(node)) + per_output(node))
    return float(filled * count * (multiplied + spread)) + image_cost(node)


DSP_GROUPED = Kernel(
    "dsp_grouped",
    GroupedParams,
    plan,
    Packed,
    scratch={"image": i8, "columns": i32, "window": i8, "rest": f32},
    requires={"dsp", "fpu"},
    copies=("memcpy", "memset"),
    cost=cost,
    code=CODE,
    pixels=PIXELS,
)
KERNELS = (DSP_GROUPED,)
