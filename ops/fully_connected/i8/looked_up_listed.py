"""FullyConnected of int8 by looked_up_listed.h: as looked_up.h, by rules other than LiteRT's."""

from opsmith.op import *
from runtimes.core.weight_codes import Coded
from runtimes.families.decoding import CodedThresholds, decoding_cost, decoding_thresholds
from runtimes.families.matmul import MATMUL, asymmetric

from .looked_up import LOOKED_UP
from .params import ThresholdParams


@dataclass(frozen=True, kw_only=True)
class CodedThresholdParams(Coded, ThresholdParams):
    """Params of thresholds, and storage of weights as codes."""


CODED = decoding_thresholds(MATMUL, CodedThresholdParams)


def plan(node: NodeView) -> Plan | Refused:
    """Plan for symmetric weights that codes make smaller, and sums with proved thresholds."""
    return asymmetric(node) or CODED(node)


LISTED = replace(
    LOOKED_UP,
    name="looked_up_listed",
    params=CodedThresholdParams,
    plan=plan,
    tables=CodedThresholds,
    numerics=OTHER_RULES,
    cost=decoding_cost(MATMUL, 6.8, 24.0),
)
KERNELS = (LISTED,)
