"""FullyConnected of int16 by dsp.h: eight channels at a time."""

from opsmith.op import *
from runtimes.cmsis.dsp_packing import interleaved_in_order
from runtimes.cmsis.dsp_padding import PaddedRows, copied_words, whole_words
from runtimes.core.channel_packing import filled_up
from runtimes.core.rescaling import WidthRequantization
from runtimes.families.matmul import MATMUL, PackedMatrix, row_overlap

from . import wrap_problem
from .params import ExactParams

CHANNELS = 8  # of y whose sums the kernel keeps
WIDE_CHANNELS = 2  # the same where sums have 64 bits


@dataclass(frozen=True, kw_only=True)
class DspParams(PaddedRows, ExactParams):
    """Sizes, bounds of y, and requantisation."""


def plan(node: NodeView) -> Plan:
    """Plan that copies rows of x that are no whole words."""
    found, depth = MATMUL.int16(node), node["weights"].shape[1]
    return Plan(
        MATMUL.params(DspParams, node, wide=found.wide, padded_depth=whole_words(depth, i16.size)),
        partial(tables, node, found),
        {"row": copied_words(depth, i16.size)},
        partial(row_overlap, node, WIDE_CHANNELS if found.wide else CHANNELS),
    )


def tables(node: NodeView, found: WidthRequantization) -> PackedMatrix:
    """Weights [channels / 8][depth / 2][pair][2 x 2 bytes]; Exact or Real constants [channels]."""
    weights = interleaved_in_order(node["weights"].data, CHANNELS)
    return PackedMatrix(weights, filled_up(found.table, CHANNELS))


DSP = Kernel(
    "dsp",
    DspParams,
    refusing(plan, wrap_problem),
    PackedMatrix,
    scratch={"row": i16},
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words
    cost=MATMUL.cost_by_width((1.32, 55.0), (2.2, 170.0)),
)
KERNELS = (DSP,)
