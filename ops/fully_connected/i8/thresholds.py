"""FullyConnected of int8 by thresholds.h: one multiplication for any rule, on every core."""

from opsmith.op import *
from runtimes.families.matmul import MATMUL, asymmetric, row_overlap

from .params import ThresholdParams


@dataclass(frozen=True)
class ThresholdTables:
    """Weights, and thresholds."""

    weights: NDArray[np.int8]  # [channels][depth]
    requantization: NDArray[np.int32]  # [channels][2]: Threshold; then Exception


PROVED = MATMUL.thresholds(
    ThresholdParams,
    lambda node, found: ThresholdTables(node["weights"].data, found.table),
    row_overlap,
)


def plan(node: NodeView) -> Plan | Refused:
    """Plan for symmetric weights, and sums with proved thresholds."""
    return asymmetric(node) or PROVED(node)


THRESHOLDS = Kernel(
    "thresholds",
    ThresholdParams,
    plan,
    ThresholdTables,
    numerics=OTHER_RULES,
    cost=MATMUL.cost(6.8, 17.0),
)
KERNELS = (THRESHOLDS,)
