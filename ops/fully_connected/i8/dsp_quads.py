"""FullyConnected of int8 by dsp_quads.h: four channels at a time, requantised as dsp_few.h does."""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.matmul import MATMUL, PackedMatrix, Sizes
from runtimes.families.owning import rounding, singling

from . import dsp_few
from .params import ShiftParams

CHANNELS = 4  # whose words of weights take turns
LEAST_DEPTH = 256  # of rows: shorter ones gain too little for the code


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """Plan for symmetric weights and long rows."""
    p = MATMUL.params(Sizes, node)
    if p.depth < LEAST_DEPTH:
        return Refused(f"rows have {p.depth} elements, fewer than {LEAST_DEPTH}")
    made = dsp_few.plan(node, params, tables, CHANNELS)
    if isinstance(made, Refused):
        return made
    filled = (p.channels + -p.channels % CHANNELS) * (p.depth + -p.depth % 4)
    return replace(made, growth=filled - p.channels * p.depth)


def tables(found: DspRequantization) -> PackedMatrix:
    """Weights [channels / 4][inputs / 4][4][4], filled up with zeros, and requantisation."""
    channels, inputs = found.weights.shape
    filled = np.pad(found.weights, ((0, -channels % CHANNELS), (0, -inputs % 4)))
    words = filled.reshape(-1, CHANNELS, filled.shape[1] // 4, 4).transpose(0, 2, 1, 3)
    return PackedMatrix(np.ascontiguousarray(words).astype(np.int8), found.table)


def cost(node: NodeView) -> float:
    """Cost of four channels, full or not, and of outputs, in cycles of a Cortex-M4F."""
    p = MATMUL.params(Sizes, node)
    words, rest = divmod(p.depth, 4)
    blocks = -(-p.channels // CHANNELS)
    return 30 + p.rows * (12 + blocks * (60.0 + 27.0 * words + 45.0 * rest) + 15.0 * p.channels)


DSP_QUADS = replace(
    dsp_few.DSP_FEW,
    name="dsp_quads",
    plan=plan,
    cost=cost,
    code=Code(
        instance=150,
        general=180 + 280,
        slowdown=1.02,
        shared={"fully_connected::i8::four_sums": 280},
    ),
)
KERNELS = (
    DSP_QUADS,
    rounding("fully_connected/i8", DSP_QUADS),
    singling("fully_connected/i8", DSP_QUADS),
)
