"""Conv2D of int8 by looked_up_listed.h: as looked_up.h, by rules other than LiteRT's."""

from opsmith.op import *
from runtimes.core.weight_codes import Coded
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.decoding import CodedThresholds, decoding_cost, decoding_thresholds

from .looked_up import LOOKED_UP
from .params import ThresholdParams


@dataclass(frozen=True, kw_only=True)
class CodedThresholdParams(Coded, ThresholdParams):
    """Params of thresholds, and storage of filters as codes."""


LISTED = replace(
    LOOKED_UP,
    name="looked_up_listed",
    params=CodedThresholdParams,
    plan=decoding_thresholds(CONVOLUTION, CodedThresholdParams),
    tables=CodedThresholds,
    numerics=OTHER_RULES,
    cost=decoding_cost(CONVOLUTION, 8.0, 22.0),
)
KERNELS = (LISTED,)
