"""Conv2D of int8 by dsp_grouped.h: groups of channels, by the windows of four pixels at a time."""

from opsmith.op import *
from runtimes.cmsis.convolution_costs import Figures, products, words
from runtimes.cmsis.dsp_packing import APART, BEYOND_24_BITS, fits_upper, paired, refused_pairs
from runtimes.cmsis.dsp_padding import whole_words
from runtimes.core.dsp_requantization import PAIR_SHIFTS, DspRequantization
from runtimes.families.convolution import (
    CONVOLUTION,
    Grouped,
    Packed,
    filled_groups,
    group_overlap,
    groups,
    refused_window,
)
from runtimes.families.convolution_counts import groups_of_pixels, pixels
from runtimes.families.owning import Unpaired, owning, singling, unpaired, with_ways

from .dsp import MAX_WINDOW, PIXELS, DspParams

FIGURES = Figures(PIXELS, 55.0, 34.0, clamp=12.0)


@dataclass(frozen=True, kw_only=True)
class DspGroupedParams(Grouped, DspParams):
    """Params of dsp, and the groups of channels."""


def plan(node: NodeView, params: type[DspGroupedParams] = DspGroupedParams) -> Plan | Refused:
    """Plan for several groups, a limited window, paired weights, and exact requantisation."""
    if refused := refused_window(node, MAX_WINDOW, params):
        return refused
    count = groups(node)
    rows = _in_pairs(CONVOLUTION.rows(node), count)
    if refused := refused_pairs([rows], params):
        return refused
    if not fits_upper(rows[1::2], node["x"].dtype.limits):
        return BEYOND_24_BITS
    window, channels = whole_words(CONVOLUTION.inputs(node)), node["y"].shape[3]
    scratch = {
        "columns": PIXELS // 2 * window,
        "window": 0 if node["filter"].shape[3] % 4 == 0 else window,
        "outputs": PIXELS * channels,
    }
    more = {"window": window}
    overlap = partial(group_overlap, node, PIXELS)
    return CONVOLUTION.proved(
        node,
        params,
        partial(tables, count, apart=issubclass(params, Unpaired)),
        scratch,
        overlap,
        shifts=PAIR_SHIFTS,
        more=more,
    )


def tables(count: int, found: DspRequantization, *, apart: bool) -> Packed:
    """Filter by pairs of channels within a group, and requantisation constants; only groups of
    whole pairs have exceptions.
    """
    table = found.table if found.exceptions else _in_pairs(found.table, count)
    return Packed(paired(_in_pairs(found.weights, count), 2, apart=apart), table)


def _in_pairs(rows: Array, count: int) -> Array:
    """Rows of channels, with a row of zeros after each group of an odd number of channels."""
    return filled_groups(rows, count, 2)


def cost(node: NodeView) -> float:
    """Cost of products, of stores, and of windows that are spread tap by tap for each group, in
    cycles of a Cortex-M4F.
    """
    _, height, width, inputs = node["filter"].shape
    of_taps = height * width * (9.5 + (1.8 * inputs if inputs % 4 else 0.0)) + 5.4 * words(node)
    spread = pixels(node) * groups(node) * (35 + of_taps)
    return 200 + spread + products(node, groups_of_pixels(node), FIGURES)


DSP_GROUPED = Kernel(
    "dsp_grouped",
    DspGroupedParams,
    plan,
    Packed,
    scratch={"columns": i32, "window": i8, "outputs": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy", "memset"),
    cost=cost,
    code=Code(instance=700, general=2900),
    pixels=4,
)
UNPAIRED = unpaired("conv_2d/i8", DSP_GROUPED, CONVOLUTION.cost(APART, 0.0))
KERNELS = (
    *with_ways("conv_2d/i8", DSP_GROUPED, owning, singling),
    *with_ways("conv_2d/i8", UNPAIRED, owning, singling),
)
