"""Conv2D of float32 by int8 filters by dsp_rows.h: a window by eight channels at a time."""

from opsmith.op import *
from runtimes.cmsis.dsp_dynamic_range import ROW_OF_REALS, by_rows
from runtimes.cmsis.dsp_packing import UNPAIRED, part_of_inputs, unpaired
from runtimes.cmsis.dsp_padding import products_of_parts, whole_words
from runtimes.families.convolution import CONVOLUTION, Packed, refused_window
from runtimes.families.dynamic_range import image_overlap, real_rows

from .dsp import DspParams, image_cost, image_facts, reads_words

CHANNELS = 8  # of y whose sums are made together
MAX_ROW = 1 << 14  # inputs of an output element that scratch has room for


@dataclass(frozen=True, kw_only=True)
class RowParams(DspParams):
    """Params of dsp, and the way to read a window."""

    part: int  # inputs whose sums fit 24 bits
    copied: bool  # or a pixel of the image as it is


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one group, a limited window, and weights that fit in pairs."""
    if refused := refused_window(node, MAX_ROW):
        return refused
    rows = CONVOLUTION.rows(node)
    if unpaired(rows).any():
        return UNPAIRED
    window, part = whole_words(CONVOLUTION.inputs(node)), part_of_inputs(rows, i8.limits)
    copied = not reads_words(node)
    params = CONVOLUTION.params(RowParams, node, part=part, copied=copied, **image_facts(node))
    scratch = {
        "image": node["x"].elements // node["x"].shape[0],
        "window": window if copied else 0,
        "products": products_of_parts(window, part),
    }
    return Plan(params, partial(tables, part, node), scratch, partial(image_overlap, node))


def tables(part: int, node: NodeView) -> Packed:
    """Filter in pairs, by eight channels, and constants of each channel."""
    return Packed(*by_rows(real_rows(CONVOLUTION, node), part))


def cost(node: NodeView) -> float:
    """Cost of products and stores, by eight channels, of copied windows, and of quantising."""
    _, height, width, inputs = node["filter"].shape
    channels = node["y"].shape[3]
    window, blocks = whole_words(CONVOLUTION.inputs(node)), -(-channels // CHANNELS)
    parts = CHANNELS * 1.06 * window + 60
    copied = 0 if reads_words(node) else height * (35 + 0.5 * width * inputs)
    pixels = node["y"].elements / channels
    return pixels * (blocks * parts + 19 * channels + copied + 60) + image_cost(node)


DSP_ROWS = Kernel(
    "dsp_rows",
    RowParams,
    plan,
    Packed,
    scratch={"image": i8, "window": i8, "products": i32},
    requires={"dsp", "fpu"},
    copies=("memcpy", "memset"),
    cost=cost,
    code=Code(440, general=700 + 2690, slowdown=1.02, shared=ROW_OF_REALS),
)
KERNELS = (DSP_ROWS,)
