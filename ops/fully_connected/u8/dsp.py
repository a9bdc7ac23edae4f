"""FullyConnected of uint8 by dsp.h: eight channels at a time, requantised by one product each."""

from opsmith.op import *
from runtimes.cmsis.dsp_packing import (
    BEYOND_24_BITS,
    FEW,
    added_by_rows,
    fits_upper,
    packed_rows,
    part_of_inputs,
    refused_pairs,
)
from runtimes.cmsis.dsp_padding import PaddedRows, whole_words
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import PAIR_SHIFTS, DspRequantization, Shifts
from runtimes.families.matmul import MATMUL, PackedMatrix, Sizes, row_overlap
from runtimes.families.owning import unpaired

from ..i8.dsp import CHANNELS
from .params import SummedSizes, lowered, sum_factor


@dataclass(frozen=True, kw_only=True)
class ShiftParams(PaddedRows, Shifts, SummedSizes):
    """Sizes, bounds of y, and requantisation."""


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """Plan for weights that fit in pairs, with a copy of a row."""
    lifted = MATMUL.lifted_rows(node)
    weights, padded = lowered(lifted, node), whole_words(lifted.shape[1])
    if refused := refused_pairs([weights], params):
        return refused
    fits = part_of_inputs(weights, i8.limits) >= weights.shape[1]
    if not fits or not fits_upper(lifted[1::2], i8.limits):
        return BEYOND_24_BITS
    return MATMUL.proved(
        node,
        params,
        partial(_tables, node, params),
        {"row": padded},
        partial(row_overlap, node, CHANNELS),
        shifts=PAIR_SHIFTS,
        adds=lambda lifted: added_by_rows(lowered(lifted, node)),
        more={"sum_factor": sum_factor(node), "padded_depth": padded},
    )


def _tables(node: NodeView, params: type, found: DspRequantization) -> PackedMatrix:
    """Weights in pairs, by eight channels, and requantisation constants."""
    words = packed_rows(params, lowered(found.weights, node))
    return PackedMatrix(words, filled_up(found.table, CHANNELS))


def cost(node: NodeView) -> float:
    """Cost of copied rows, and of blocks or pairs of channels, in cycles of a Cortex-M4F."""
    p = MATMUL.params(Sizes, node)
    words, rest = whole_words(p.depth) // 4, p.channels % CHANNELS
    few = rest if rest <= FEW else 0
    blocks, pairs = -(-(p.channels - few) // CHANNELS), -(-few // 2)
    of_blocks = blocks * (240 + 39.0 * words) + pairs * (105 + 17.5 * words)
    return 60 + p.rows * (40 + 10.0 * words + of_blocks)


DSP = Kernel(
    "dsp",
    ShiftParams,
    plan,
    PackedMatrix,
    scratch={"row": i8},
    requires={"dsp"},
    cost=cost,
)
KERNELS = (DSP, unpaired("fully_connected/u8", DSP))
