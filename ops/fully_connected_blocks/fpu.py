"""FullyConnectedBlocks by fpu.h, whose weights are float32: four to sixteen times the flash."""

from opsmith.op import *
from runtimes.core.block_weights import block_values, blocks_of
from runtimes.families.layer import RealClamped
from runtimes.families.matmul import MATMUL, Sizes, row_overlap

ROWS = 4  # of x, and channels, whose sums are computed together


@dataclass(frozen=True, kw_only=True)
class RealParams(RealClamped, Sizes):
    """Sizes, and bounds of y."""


@dataclass(frozen=True)
class RealTables:
    """float32 weights in blocks of four channels, and biases."""

    weights: NDArray[np.float32]  # [channels][depth]
    bias: NDArray[np.float32]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for at least four output channels."""
    channels, found = node["y"].shape[-1], blocks_of(node, "weights")
    if channels < ROWS:
        return Refused(f"{channels} output channels, fewer than {ROWS}")
    elements = node["weights"].elements
    return Plan(
        MATMUL.params(RealParams, node),
        lambda: MATMUL.params(RealTables, node, weights=block_values(node, "weights")),
        overlap=partial(row_overlap, node, ROWS, ROWS),
        growth=4 * elements - elements * found.bits // 8 - 4 * node["scales"].elements,
    )


COST = MATMUL.cost(2.45, 20.0)
KERNELS = (Kernel("fpu", RealParams, plan, RealTables, requires={"fpu"}, cost=COST),)
