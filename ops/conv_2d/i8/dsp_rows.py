"""Conv2D of int8 by dsp_rows.h: a window as a row, by the weights of eight channels at a time."""

from __future__ import annotations

from opsmith.op import *
from runtimes.cmsis.convolution_costs import clamping, copy, large_multipliers, words
from runtimes.cmsis.dsp_code import EIGHT_CHANNELS
from runtimes.cmsis.dsp_packing import added_by_rows, packed_rows, part_of_inputs, refused_pairs
from runtimes.cmsis.dsp_padding import products_of_parts, whole_words
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.convolution import (
    CONVOLUTION,
    Packed,
    group_overlap,
    pixel_overlap,
    reads_pixels,
    refused_window,
)
from runtimes.families.convolution_counts import pixels
from runtimes.families.owning import listing, owning, singling, unpaired

from .params import ShiftParams

CHANNELS = 8  # of y that the kernel computes before it writes any of them
MAX_ROW = 1 << 14  # inputs of an output element that scratch has room for


@dataclass(frozen=True, kw_only=True)
class RowParams(ShiftParams):
    """Geometry, requantisation, and the way to read a window."""

    window: int  # bytes, whole words
    part: int  # of them, whose sums fit 24 bits
    copied: bool  # or a pixel of x as it is


def plan(node: NodeView, params: type[RowParams] = RowParams) -> Plan | Refused:
    """Plan for one group, a limited window, weights that fit in pairs, and exact requantisation."""
    if refused := refused_window(node, MAX_ROW):
        return refused
    rows = CONVOLUTION.rows(node)
    if refused := refused_pairs([rows], params):
        return refused
    part = part_of_inputs(rows, node["x"].dtype.limits)
    copied, window = not _in_place(node), whole_words(CONVOLUTION.inputs(node))
    overlap = partial(group_overlap, node, 1) if copied else partial(pixel_overlap, node, CHANNELS)
    more = {"window": window, "part": part, "copied": copied}
    scratch = {"window": window if copied else 0, "products": products_of_parts(window, part)}
    made = partial(tables, params)
    adds = partial(added_by_rows, part=part)
    found = CONVOLUTION.proved(node, params, made, scratch, overlap, more=more, adds=adds)
    return found if isinstance(found, Refused) else replace(found, code=_code(node))


def _code(node: NodeView) -> Code:
    """Code size of an instance; the general form begins pixels and ends channels more slowly."""
    channels = node["y"].shape[3]
    more = node["y"].elements / channels * (140 + 24.5 * channels)
    own = 130 if _in_place(node) else 520
    return Code(own, slowdown=1 + more / cost(node), shared=EIGHT_CHANNELS)


def tables(params: type, found: DspRequantization) -> Packed:
    """Filter in pairs, by eight channels, and requantisation constants."""
    return Packed(
        packed_rows(params, found.weights, in_parts=True), filled_up(found.table, CHANNELS)
    )


def _in_place(node: NodeView) -> bool:
    """True if each window is a pixel of x in whole words."""
    return reads_pixels(node) and node["x"].shape[3] % 4 == 0


def cost(node: NodeView) -> float:
    """Cost of products and stores by eight channels, and of copied windows, in M4F cycles."""
    channels, window = node["y"].shape[3], words(node)
    blocks = -(-channels // CHANNELS) * (82 + 36.7 * window)
    outputs = 17.0 * channels + clamping(node, channels, 6.0)
    copied = 0.0 if _in_place(node) else copy(node)
    return 60 + copied + pixels(node) * (50 + 10.0 * window + blocks + outputs)


def _apart(node: NodeView) -> float:
    """Additional cost of channels with large multipliers."""
    return 40.0 * pixels(node) * large_multipliers(node)


DSP_ROWS = Kernel(
    "dsp_rows",
    RowParams,
    plan,
    Packed,
    scratch={"window": i8, "products": i32},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy", "memset"),
    cost=cost,
    paces={"dual_issue": 0.85},
    code=Code(520, general=1500 + 844, shared=EIGHT_CHANNELS),
)
DSP_ROWS_OWN = owning("conv_2d/i8", DSP_ROWS, more=_apart)
DSP_ROWS_LISTED = listing("conv_2d/i8", DSP_ROWS)
UNPAIRED = unpaired("conv_2d/i8", DSP_ROWS)
UNPAIRED_OWN = owning("conv_2d/i8", UNPAIRED, more=_apart)
DSP_ROWS_SINGLE = singling("conv_2d/i8", DSP_ROWS)
UNPAIRED_SINGLE = singling("conv_2d/i8", UNPAIRED)
KERNELS = (
    *(DSP_ROWS, DSP_ROWS_OWN, DSP_ROWS_LISTED, DSP_ROWS_SINGLE),
    *(UNPAIRED, UNPAIRED_OWN, UNPAIRED_SINGLE),
)
