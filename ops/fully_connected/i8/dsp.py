"""FullyConnected of int8 by dsp.h: eight channels at a time, requantised by one product each."""

from __future__ import annotations

from opsmith.op import *
from runtimes.cmsis.dsp_code import ROW_OF_OUTPUTS
from runtimes.cmsis.dsp_packing import (
    BEYOND_24_BITS,
    FEW,
    added_by_rows,
    packed_rows,
    part_of_inputs,
    refused_pairs,
)
from runtimes.cmsis.dsp_packing import unpaired as unpaired_weights
from runtimes.cmsis.dsp_padding import PaddedRows, copied_words, whole_words
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import PAIR_SHIFTS, DspRequantization
from runtimes.families.matmul import MATMUL, PackedMatrix, Sizes, asymmetric, row_overlap, scales
from runtimes.families.owning import owning, unpaired

from .params import ShiftParams

# Cycles of a Cortex-M4F for eight channels and for two; for an output, for one of a block that is
# not clamped, and of the rest of a row; for one with a scale of 1/2 or more, and for a weight that
# fits in no pair.
PER_BLOCK, PER_TWO = 105.0, 75.0
PER_OUTPUT, OF_BLOCK, OF_REST = 19.3, 6.1, 27.0
PER_OWN, PER_CONFLICT = 105.0, 14.5
CHANNELS = 8  # of y that the kernel computes before it writes any of them


@dataclass(frozen=True, kw_only=True)
class DspParams(PaddedRows, ShiftParams):
    """Sizes, bounds of y, and requantisation."""


def plan(node: NodeView, params: type[DspParams] = DspParams) -> Plan | Refused:
    """Plan for symmetric weights that fit in pairs, with copies of rows that are no whole words."""
    if refused := asymmetric(node):
        return refused
    weights = node["weights"].data
    if refused := refused_pairs([weights], params):
        return refused
    depth = node["weights"].shape[1]
    if part_of_inputs(weights, node["x"].dtype.limits) < depth:
        return BEYOND_24_BITS
    return MATMUL.proved(
        node,
        params,
        partial(tables, params),
        {"row": copied_words(depth)},
        partial(row_overlap, node, CHANNELS),
        shifts=PAIR_SHIFTS,
        more={"padded_depth": whole_words(depth)},
        mixed=2,
        adds=added_by_rows,
    )


def has_large_scale(node: NodeView) -> bool:
    """True if the sums of some channel are multiplied by 1/2 or more."""
    return bool(np.any(scales(node) >= 1 / 2))


def large_scales(node: NodeView) -> int:
    """Channels whose sums are multiplied by 1/2 or more, and take longer beside others."""
    large = scales(node) >= 1 / 2
    return 0 if large.all() else int(np.count_nonzero(large))


def tables(params: type, found: DspRequantization, *, in_parts: bool = False) -> PackedMatrix:
    """Weights in pairs, by eight channels, and requantisation constants."""
    words = packed_rows(params, found.weights, in_parts=in_parts)
    return PackedMatrix(words, filled_up(found.table, CHANNELS))


def cost(node: NodeView) -> float:
    """Cost of blocks of eight channels, full or not, and of a few that are left by pairs."""
    channels = node["weights"].shape[0]
    rest = channels % CHANNELS
    outputs = PER_OUTPUT * channels
    if not is_clamped(node):
        outputs = OF_BLOCK * (channels - rest) + OF_REST * rest
    return by_blocks(node, rest if rest <= FEW else 0, outputs)


def by_blocks(node: NodeView, by_pairs: int, outputs: float) -> float:
    """Cost of rows by blocks of channels, of which the last N are by pairs, in cycles of a
    Cortex-M4F: of products, and of the outputs of a row.
    """
    p = MATMUL.params(Sizes, node)
    words, pairs = whole_words(p.depth) // 4, -(-by_pairs // 2)
    blocks = -(-(p.channels - by_pairs) // CHANNELS)
    row = 8.0 * words + (15 if p.depth % 4 else 0)
    row += blocks * (PER_BLOCK + 36.2 * words) + pairs * (PER_TWO + 13.6 * words)
    return 20 + p.rows * (row + outputs)


def one_by_one(node: NodeView) -> float:
    """Additional cost of outputs that are not made in blocks."""
    p = MATMUL.params(Sizes, node)
    whole = p.channels - p.channels % CHANNELS
    return 0.0 if is_clamped(node) else p.rows * whole * (PER_OUTPUT - OF_BLOCK)


def own_channels(per_output: float, node: NodeView) -> float:
    """Additional cost of channels with a scale of 1/2 or more."""
    return per_output * MATMUL.params(Sizes, node).rows * large_scales(node)


def is_clamped(node: NodeView) -> bool:
    """True if y cannot be all that its type has."""
    return clamp_range(node) != node["y"].dtype.limits


def conflicts(node: NodeView) -> float:
    """Cost of weights that fit in no pair, each of which is subtracted from sums."""
    rows = MATMUL.params(Sizes, node).rows
    return PER_CONFLICT * rows * float(np.count_nonzero(unpaired_weights(node["weights"].data)))


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    PackedMatrix,
    scratch={"row": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words
    cost=cost,
    paces={"dual_issue": 0.85},
    code=Code(60, general=320 + 1108, slowdown=1.02, shared=ROW_OF_OUTPUTS),
)
DSP_OWN = owning(
    "fully_connected/i8",
    DSP,
    has_large_scale,
    lambda node: one_by_one(node) + own_channels(PER_OWN, node),
)
UNPAIRED = unpaired("fully_connected/i8", DSP, lambda node: one_by_one(node) + conflicts(node))
UNPAIRED_OWN = owning(
    "fully_connected/i8", UNPAIRED, has_large_scale, partial(own_channels, PER_OWN)
)
KERNELS = (DSP, DSP_OWN, UNPAIRED, UNPAIRED_OWN)
