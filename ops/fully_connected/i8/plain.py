"""FullyConnected of int8 by plain.h: four channels at a time on cores that have only Thumb."""

from opsmith.op import *
from runtimes.core.channel_packing import blocks_of_channels, filled_up
from runtimes.core.dsp_requantization import PAIR_SHIFTS, DspRequantization
from runtimes.families.matmul import MATMUL, PackedMatrix, Sizes, asymmetric, row_overlap

from .params import ShiftParams

CHANNELS = 4  # whose weights lie side by side


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """Plan for symmetric weights, and sums with proved thresholds."""
    overlap = partial(row_overlap, node, CHANNELS)
    return asymmetric(node) or MATMUL.proved(
        node, params, tables, overlap=overlap, shifts=PAIR_SHIFTS
    )


def tables(found: DspRequantization) -> PackedMatrix:
    """Weights by groups of four channels, and requantisation constants."""
    return PackedMatrix(
        blocks_of_channels(found.weights, CHANNELS), filled_up(found.table, CHANNELS)
    )


def cost(node: NodeView) -> float:
    """Cost of blocks of four channels, full or not, in cycles of a Cortex-M4F."""
    p = MATMUL.params(Sizes, node)
    blocks = -(-p.channels // CHANNELS)
    return p.rows * (10 + blocks * (120 + 15.2 * p.depth))


PLAIN = Kernel(
    "plain",
    ShiftParams,
    plan,
    PackedMatrix,
    numerics=ANY_RULE,
    requires={"thumb"},
    cost=cost,
)
KERNELS = (PLAIN,)
