"""FullyConnected of int8 by dsp_long.h: as dsp.h, requantised by products of 64 bits."""

from __future__ import annotations

from opsmith.op import *
from runtimes.cmsis.dsp_code import EIGHT_CHANNELS
from runtimes.cmsis.dsp_packing import added_by_rows, part_of_inputs, refused_pairs
from runtimes.cmsis.dsp_padding import copied_words, products_of_parts, whole_words
from runtimes.families.matmul import MATMUL, PackedMatrix, asymmetric, row_overlap
from runtimes.families.owning import owning, rounding, singling, unpaired, with_ways

from .dsp import CHANNELS, DspParams, by_blocks, conflicts, is_clamped, own_channels, tables
from .params import shifts_of


@dataclass(frozen=True, kw_only=True)
class DspLongParams(DspParams):
    """Params of dsp, and the number of inputs whose sums fit 24 bits."""

    part: int


def plan(node: NodeView, params: type[DspLongParams] = DspLongParams) -> Plan | Refused:
    """Plan for symmetric weights that fit in pairs, with copies of rows that are no whole words."""
    if refused := asymmetric(node):
        return refused
    weights = node["weights"].data
    if refused := refused_pairs([weights], params):
        return refused
    part = part_of_inputs(weights, node["x"].dtype.limits)
    found = MATMUL.long_products(node, params, partial(added_by_rows, part=part))
    if isinstance(found, Refused):
        return found
    depth = node["weights"].shape[1]
    made = MATMUL.params(
        params,
        node,
        **shifts_of(found),
        padded_depth=whole_words(depth),
        part=part,
    )
    overlap = partial(row_overlap, node, CHANNELS)
    scratch = {"row": copied_words(depth), "products": products_of_parts(depth, part)}
    return Plan(made, partial(tables, params, found, in_parts=True), scratch, overlap)


def cost(node: NodeView) -> float:
    """Cost of blocks of eight channels, full or not."""
    per_output = 15.0 if is_clamped(node) else 8.5
    return by_blocks(node, 0, per_output * node["weights"].shape[0])


DSP_LONG = Kernel(
    "dsp_long",
    DspLongParams,
    plan,
    PackedMatrix,
    scratch={"row": i8, "products": i32},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words
    cost=cost,
    paces={"dual_issue": 0.85},
    code=Code(270, general=480 + 844, shared=EIGHT_CHANNELS),
)
UNPAIRED = unpaired("fully_connected/i8", DSP_LONG, conflicts)
OWN = partial(own_channels, 25.0)
KERNELS = (
    *with_ways("fully_connected/i8", DSP_LONG, singling),
    owning("fully_connected/i8", DSP_LONG, lambda node: True, OWN),
    *with_ways("fully_connected/i8", UNPAIRED, singling),
    owning("fully_connected/i8", UNPAIRED, lambda node: True, OWN),
    rounding("fully_connected/i8", DSP_LONG),
    rounding("fully_connected/i8", UNPAIRED),
)
