"""Conv2D of int8 by dsp.h: weights in pairs, and the windows of four pixels at a time."""

from opsmith.op import *
from runtimes.cmsis.convolution_costs import in_place, own_channels, products, spread
from runtimes.cmsis.dsp_code import pixel_functions
from runtimes.cmsis.dsp_packing import APART, BEYOND_24_BITS, fits_upper, paired, refused_pairs
from runtimes.cmsis.dsp_padding import whole_words
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import PAIR_SHIFTS, DspRequantization
from runtimes.families.convolution import (
    CONVOLUTION,
    Packed,
    elements_of_rest,
    group_overlap,
    reads_pixels,
    refused_window,
)
from runtimes.families.convolution_counts import groups_of_pixels
from runtimes.families.owning import Unpaired, owning, singling, unpaired

from .params import ShiftParams

PER_MAC, PER_OUTPUT = 0.96, 10.6  # instructions
PIXELS = 4  # of y that the kernel computes before it writes any of them
MAX_WINDOW = 1280  # inputs of an output element that scratch has room for


@dataclass(frozen=True, kw_only=True)
class DspParams(ShiftParams):
    """Geometry, requantisation, and scratch for a window."""

    window: int  # bytes, whole words


def plan(node: NodeView, params: type[DspParams] = DspParams) -> Plan | Refused:
    """Plan for one group, a limited window, weights that fit in pairs, and exact requantisation."""
    rest = {"rest": elements_of_rest(node, PIXELS)}
    found = planned(node, partial(group_overlap, node, PIXELS), rest, params=params)
    if isinstance(found, Refused):
        return found
    code = instance_code(node)
    shared = {**code.shared, **pixel_functions(found.params)}
    return replace(found, code=replace(code, shared=shared))


def planned(
    node: NodeView,
    overlap: Callable[[], Mapping[str, Distance]],
    more: Mapping[str, int],
    origin: int = 0,
    params: type[DspParams] = DspParams,
    mixed: int = 2,
    tables: Callable[[DspRequantization], Packed] | None = None,
) -> Plan | Refused:
    """Plan of a kernel with these params, and with scratch `more` besides columns and a window.

    The kernel subtracts `origin` from inputs.
    """
    if refused := refused_window(node, MAX_WINDOW):
        return refused
    rows, (low, high) = CONVOLUTION.rows(node), node["x"].dtype.limits
    if refused := refused_pairs([rows], params):
        return refused
    if not fits_upper(rows[1::2], (low - origin, high - origin)):
        return BEYOND_24_BITS
    window = whole_words(CONVOLUTION.inputs(node))
    copied = window if node["x"].shape[3] % 4 and not _spread_in_place(node) else 0
    scratch = {"columns": PIXELS // 2 * window, "window": copied, **more}
    return CONVOLUTION.proved(
        node,
        params,
        tables or partial(by_pairs, apart=issubclass(params, Unpaired)),
        scratch,
        overlap,
        shifts=PAIR_SHIFTS,
        origin=origin,
        more={"window": window},
        mixed=mixed,
    )


def instance_code(node: NodeView) -> Code:
    """Code size of an instance; the general form takes longer to unpack windows."""
    channels, in_place = node["y"].shape[3], _spread_in_place(node)
    spread = 0.0 if in_place else 180.0
    more = (2.2 + spread / channels) / (PER_MAC * CONVOLUTION.inputs(node) + PER_OUTPUT)
    if in_place:
        uneven = node["x"].shape[3] % 4 != 0
        spread_by = {"spread_neighbours, uneven": 254} if uneven else {"spread_neighbours": 144}
        return Code(110, slowdown=1 + more, shared=spread_by)
    return Code(330 if node["filter"].shape[1:3] == (1, 1) else 450, slowdown=1 + more)


def by_pairs(found: DspRequantization, *, apart: bool = False) -> Packed:
    """Filter by pairs of channels, and requantisation constants; `apart` pairs are two bytes."""
    return Packed(paired(found.weights, 2, apart=apart), filled_up(found.table, 2))


def _spread_in_place(node: NodeView) -> bool:
    """True if each window is a pixel of x that need not be copied to be unpacked."""
    same = node["x"].shape[:3] == node["y"].shape[:3]
    dense = same and node.attributes["stride_height"] == node.attributes["stride_width"] == 1
    return dense and reads_pixels(node) and node["x"].shape[3] >= 4


def cost(node: NodeView) -> float:
    """Cost of windows that are spread, and of products and outputs by groups of pixels."""
    groups = groups_of_pixels(node)
    return 100 + 40 * groups + windows(node) + products(node, groups)


def windows(node: NodeView) -> float:
    """Cost of windows that are spread, best where they lie."""
    return in_place(node) if _spread_in_place(node) else spread(node)


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    Packed,
    scratch={"columns": i32, "window": i8, "rest": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy", "memset"),  # windows at the border, and a last group of pixels
    cost=cost,
    code=Code(instance=300, general=3530),  # which has both ways to requantise
    pixels=4,
)
DSP_OWN = owning("conv_2d/i8", DSP, more=own_channels)
DSP_UNPAIRED = unpaired("conv_2d/i8", DSP, CONVOLUTION.cost(APART, 0.0))
DSP_UNPAIRED_OWN = owning("conv_2d/i8", DSP_UNPAIRED, more=own_channels)
DSP_SINGLE = singling("conv_2d/i8", DSP)
DSP_UNPAIRED_SINGLE = singling("conv_2d/i8", DSP_UNPAIRED)
KERNELS = (DSP, DSP_OWN, DSP_SINGLE, DSP_UNPAIRED, DSP_UNPAIRED_OWN, DSP_UNPAIRED_SINGLE)
