"""Params of kernels of FullyConnected for uint8 that take all as int8, 128 less."""

from opsmith.op import *
from opsmith.runtimes.core.per_channel import folded_bias
from opsmith.runtimes.families.layer import weights_zero_point
from opsmith.runtimes.families.matmul import MATMUL

from ..i8.params import ClampedSizes


@dataclass(frozen=True, kw_only=True)
class SummedSizes(ClampedSizes):
    """The sizes, the bounds of y, and the factor of the sum of a row."""

    sum_factor: int


def sum_factor(node: NodeView) -> int:
    """Factor of the sum of a row: the opposite of the zero point of the weights."""
    return 128 - weights_zero_point(node["weights"])


def lowered_bias(node: NodeView) -> NDArray[np.int64]:
    """The bias of each channel, with what the input's zero point, 128 less, adds."""
    lifted = MATMUL.lifted_rows(node)
    return np.asarray(folded_bias(node, lifted) + 128 * lifted.sum(axis=1, dtype=np.int64))


def lowered(lifted: Array, node: NodeView) -> NDArray[np.int8]:
    """Weights without their zero point as weights that are 128 less."""
    return (lifted - sum_factor(node)).astype(np.int8)
