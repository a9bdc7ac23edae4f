"""FullyConnected of float32 by int8 weights by plain.h: four channels at a time, without an FPU."""

from opsmith.op import *
from runtimes.core.channel_packing import blocks_of_channels
from runtimes.core.vector_activation import NUMBERS
from runtimes.families.dynamic_range import real_channels, real_rows
from runtimes.families.matmul import MATMUL, PackedMatrix, row_overlap
from runtimes.families.owning import by_function_of

from ..i8.plain import CHANNELS
from . import Params, has_negative_zero


@dataclass(frozen=True, kw_only=True)
class PlainParams(Params):
    """Sizes, activation, quantisation of rows, and a fact about biases."""

    negative_zero: bool  # among the biases


def plan(node: NodeView) -> Plan:
    """Plan with scratch for a quantised row."""
    params = MATMUL.params(
        PlainParams,
        node,
        activation=NUMBERS[node.attributes["activation"]],
        negative_zero=has_negative_zero(node),
    )
    return Plan(
        params,
        partial(_tables, node),
        {"row": params.depth},
        partial(row_overlap, node, params.channels),
    )


def _tables(node: NodeView) -> PackedMatrix:
    weights = blocks_of_channels(node["weights"].data, CHANNELS)
    return PackedMatrix(weights, real_channels(real_rows(MATMUL, node), CHANNELS))


def cost(node: NodeView) -> float:
    """Cost of blocks of four channels, full or not, of outputs, and of inputs that are quantised,
    in cycles of a Cortex-M4F.
    """
    channels, depth = node["weights"].shape
    rows = node["x"].elements // depth
    blocks = -(-channels // CHANNELS)
    return float(rows * (60 + blocks * (40 + 15.2 * depth) + 40 * channels + 28 * depth))


PLAIN = Kernel(
    "plain",
    PlainParams,
    plan,
    PackedMatrix,
    scratch={"row": i8},
    requires={"thumb"},
    cost=cost,
)
KERNELS = (
    PLAIN,
    by_function_of("fully_connected/f32x8", PLAIN, replace(PLAIN, name="rv32", requires={"rv32m"})),
)
