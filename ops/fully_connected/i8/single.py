"""FullyConnected of int8 by single.h: sums times factors in single precision, on every core."""

from opsmith.op import *
from runtimes.families.matmul import MATMUL, row_overlap

from .params import RuleParams


@dataclass(frozen=True)
class SingleTables:
    """Weights, biases, and float32 factors."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int32]  # [channels]
    factor: NDArray[np.float32]  # [channels]


SINGLE = MATMUL.single(RuleParams, SingleTables, row_overlap)
KERNELS = (SINGLE,)
