"""FullyConnected of int8 by looked_up.h: weights of few values, stored as codes in less flash."""

from opsmith.op import *
from runtimes.core.weight_codes import Coded
from runtimes.families.decoding import CodedTables, decoding, decoding_cost
from runtimes.families.matmul import MATMUL

from .params import Params


@dataclass(frozen=True, kw_only=True)
class CodedParams(Coded, Params):
    """Sizes, bounds of y, zero points, and storage of weights as codes."""


@dataclass(frozen=True)
class CodedScales(CodedTables):
    """Coded weights, their values, biases, and scales."""

    bias: NDArray[np.int32]  # [channels]
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


LOOKED_UP = Kernel(
    "looked_up",
    CodedParams,
    decoding(MATMUL, CodedParams, CodedScales),
    CodedScales,
    scratch={"weights": i8},
    cost=decoding_cost(MATMUL, 6.8, 170.0),
    code=Code(instance=370, general=520),
)
KERNELS = (LOOKED_UP,)
