"""Conv2D of int8 by looked_up.h: filters of few values, stored as codes in less flash."""

from opsmith.op import *
from runtimes.core.weight_codes import Coded
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.decoding import CodedTables, decoding, decoding_cost

from .params import Params


@dataclass(frozen=True, kw_only=True)
class CodedParams(Coded, Params):
    """Geometry, zero points, bounds, and storage of filters as codes."""


@dataclass(frozen=True)
class CodedMultipliers(CodedTables):
    """Coded filter, its values, and bias, multiplier and shift of each channel."""

    bias: NDArray[np.int32]  # [channels]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int8]  # power of two, left is positive


LOOKED_UP = Kernel(
    "looked_up",
    CodedParams,
    decoding(CONVOLUTION, CodedParams, CodedMultipliers),
    CodedMultipliers,
    scratch={"weights": i8},
    cost=decoding_cost(CONVOLUTION, 8.0, 45.0),
    code=Code(instance=530, general=1000),
)
KERNELS = (LOOKED_UP,)
