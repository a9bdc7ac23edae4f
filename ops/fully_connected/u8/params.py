"""Params of uint8 kernels of FullyConnected that treat elements as int8, 128 less."""

from opsmith.op import *
from runtimes.core.per_channel import folded_bias
from runtimes.families.layer import weights_zero_point
from runtimes.families.matmul import MATMUL

from ..i8.params import ClampedSizes


@dataclass(frozen=True, kw_only=True)
class SummedSizes(ClampedSizes):
    """Sizes, bounds of y, and the factor of the sum of a row."""

    sum_factor: int


def sum_factor(node: NodeView) -> int:
    """Factor of the sum of a row: the negated zero point of the weights."""
    return 128 - weights_zero_point(node["weights"])


def lowered_bias(node: NodeView) -> NDArray[np.int64]:
    """Bias of each channel less the products of weights and the input zero point, 128 less."""
    lifted = MATMUL.lifted_rows(node)
    return np.asarray(folded_bias(node, lifted) + 128 * lifted.sum(axis=1, dtype=np.int64))


def lowered(lifted: Array, node: NodeView) -> NDArray[np.int8]:
    """int8 weights, 128 less than the uint8 ones, from weights without their zero point."""
    return (lifted - sum_factor(node)).astype(np.int8)
