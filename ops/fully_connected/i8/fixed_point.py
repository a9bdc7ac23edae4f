"""FullyConnected of int8 by fixed_point.h: Q31 multipliers, rounded twice, on every core."""

from opsmith.op import *
from runtimes.families.matmul import MATMUL, row_overlap

from .params import RuleParams


@dataclass(frozen=True)
class FixedPointTables:
    """Weights, biases, and Q31 multipliers and shifts."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int32]  # [channels]
    multiplier: NDArray[np.int32]  # [channels]
    shift: NDArray[np.int8]  # power of two, left is positive


FIXED_POINT = MATMUL.by_fixed_point(RuleParams, FixedPointTables, row_overlap)
KERNELS = (FIXED_POINT,)
