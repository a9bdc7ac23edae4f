"""Conv2D of int8 by dsp_slides.h: lines under filters of nine taps, whose windows share inputs."""

from opsmith.op import *
from runtimes.cmsis.dsp_packing import BEYOND_24_BITS, fits_upper, paired, refused_pairs
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import PAIR_SHIFTS, DspRequantization, Shifts
from runtimes.families.convolution import (
    CONVOLUTION,
    Packed,
    elements_of_rest,
    filter_padding,
    group_overlap,
    refused_window,
)
from runtimes.families.layer import Padded
from runtimes.families.owning import listing, owning, with_ways

from . import dsp

TAPS = 9  # in two parts
WORDS = 22  # of columns, for each two inputs
ORDERS = {1: (0, 1, 2, 3, 4, 5, 6, 7, 8), 2: (0, 2, 4, 6, 8, 1, 3, 5, 7)}  # of taps, by stride
PER_MAC, PER_OUTPUT = 0.94, 10.0  # cycles of a Cortex-M4F, with those for columns as dsp.py's
CODE = Code(instance=400, general=2580, slowdown=1.03)  # which has both ways to requantise


@dataclass(frozen=True, kw_only=True)
class DspSlidesParams(Shifts, Padded):
    """Line of pixels, requantisation, and the pixels that share inputs."""

    input_length: int
    input_channels: int
    output_length: int
    output_channels: int
    stride: int
    dilation: int
    padding: int  # before the line
    beside: int  # pixels of y from the first of a group to the second of those with its taps
    reversed: bool = False  # walk from the last group to the first


def plan(node: NodeView, params: type[DspSlidesParams] = DspSlidesParams) -> Plan | Refused:
    """Plan for lines under nine taps, even channels, and exact requantisation."""
    if refused := _refused(node) or refused_window(node, dsp.MAX_WINDOW):
        return refused
    rows = CONVOLUTION.rows(node)
    if refused := refused_pairs([rows], params):
        return refused
    if not fits_upper(rows[1::2], node["x"].dtype.limits):
        return BEYOND_24_BITS
    axis, stride, dilation = _line(node)
    inputs = node["x"].shape[3]
    more = {
        "input_length": node["x"].shape[axis],
        "output_length": node["y"].shape[axis],
        "stride": stride,
        "dilation": dilation,
        "padding": filter_padding(node, axis),
        "beside": 1 if dilation == 2 else 2,
    }
    scratch = {"columns": inputs // 2 * WORDS, "rest": elements_of_rest(node, dsp.PIXELS)}
    tables = partial(_tables, inputs=inputs, order=ORDERS[stride])
    overlap = partial(group_overlap, node, dsp.PIXELS)
    found = CONVOLUTION.proved(
        node, params, tables, scratch, overlap, shifts=PAIR_SHIFTS, more=more
    )
    return found if isinstance(found, Refused) else replace(found, code=_code(found.params))


def _code(params: DspSlidesParams) -> Code:
    """Code sizes of an instance, and of the function that instances share."""
    kind, size = ("thresholds", 790) if params.right_shift else ("rounding", 870)
    return replace(CODE, shared={f"slides::four_pixels, {kind}": size})


def _refused(node: NodeView) -> Refused | None:
    """Reason against a geometry other than lines under nine taps."""
    x, y, (height, width) = node["x"].shape, node["y"].shape, node["filter"].shape[1:3]
    if sorted((height, width)) != [1, TAPS]:
        return Refused(f"filter is {height}x{width}, not {TAPS} taps of a line")
    axis, stride, dilation = _line(node)
    thin = 3 - axis
    if not x[0] == x[thin] == y[thin] == 1 or filter_padding(node, thin):
        return Refused(f"x is {x[0]}x{x[1]}x{x[2]}x{x[3]}, not one line, or padded across it")
    if (stride, dilation) not in ((1, 1), (1, 2), (2, 1)):
        return Refused(f"stride {stride} with dilation {dilation}, not 1 with 1 or 2, nor 2 with 1")
    if x[3] % 4 or y[3] % 2:
        return Refused(f"{x[3]} input and {y[3]} output channels, not multiples of 4 and 2")
    return None


def _line(node: NodeView) -> tuple[int, int, int]:
    """Axis of the filter's taps, and stride and dilation along it."""
    axis, along = (1, "height") if node["filter"].shape[1] > 1 else (2, "width")
    return axis, node.attributes[f"stride_{along}"], node.attributes[f"dilation_{along}"]


def _tables(found: DspRequantization, inputs: int, order: tuple[int, ...]) -> Packed:
    """Filter [two channels][four inputs][half][tap] in dsp.h's words; requantisation constants."""
    words = paired(found.weights, 2).reshape(-1, TAPS, inputs // 4, 2, 4)[:, order]
    packed = np.ascontiguousarray(words.transpose(0, 2, 3, 1, 4))
    return Packed(packed, filled_up(found.table, 2))


def cost(node: NodeView) -> float:
    """Cost of groups of pixels, full or not."""
    _, height, width, channels = node["y"].shape
    groups = -(-height * width // dsp.PIXELS)
    return groups * dsp.PIXELS * channels * (PER_MAC * CONVOLUTION.inputs(node) + PER_OUTPUT)


DSP_SLIDES = Kernel(
    "dsp_slides",
    DspSlidesParams,
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
KERNELS = with_ways("conv_2d/i8", DSP_SLIDES, owning, listing)
