"""FullyConnected by CMSIS-NN: its constants, and whether the library rounds as the reference does.

The library requantises sums in Q31 fixed point, the reference in double precision. Both are
monotonic, so each has thresholds: for every output the least sum that reaches it. The library is
exact for a node where both have equal thresholds, as far as sums can go.
"""

from opsmith.op import *
from runtimes.cmsis.cmsis_nn import nn_kernels
from runtimes.core.accumulator import accumulator_bounds
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.output_steps import bisected
from runtimes.core.per_channel import bias_of, folded_bias
from runtimes.core.rescaling import Ints
from runtimes.families.layer import Quantized
from runtimes.families.matmul import MATMUL, Sizes, asymmetric, scales

DIFFERS = "sums are rounded in Q31 fixed point, so that rare elements differ by 1"


@dataclass(frozen=True, kw_only=True)
class NnMatrix(Quantized, Sizes):
    """Sizes, zero points and output limits of a matrix product, as CMSIS-NN takes these."""

    per_channel: bool  # one scale for each output channel, not one for all


@dataclass(frozen=True)
class NnTables:
    """Weights, biases without and with the input's zero point, multipliers and shifts."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int32]
    sums: NDArray[np.int32]  # the bias, with what the input's zero point adds
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int32]  # power of two, left is positive


def plan(node: NodeView, core: str) -> Plan | Refused:
    """Plan for symmetric weights; Refused for others, about which releases of CMSIS-NN differ."""
    return asymmetric(node) or Plan(
        MATMUL.params(NnMatrix, node), partial(nn_tables, node), inexact=inexact(node)
    )


def nn_tables(node: NodeView) -> NnTables:
    """Constants for CMSIS-NN of a node whose weights have zero point 0."""
    weights = node["weights"].data
    sums = folded_bias(node, weights).astype(np.int32)
    multiplier, shift = _fixed(node)
    return NnTables(weights, bias_of(node), sums, multiplier, shift)


def inexact(node: NodeView) -> str:
    """Difference of the library's outputs from the reference's, in words, or ""."""
    weights, (low, high) = node["weights"].data, clamp_range(node)
    bounds = accumulator_bounds(node["x"], weights, bias_of(node))
    multiplier, shift = _fixed(node)
    if np.any(bounds << np.maximum(shift, 0).astype(np.int64) >= 1 << 31):
        return DIFFERS

    def library(sums: Ints) -> Ints:
        scaled = multiply_by_quantized_multiplier(sums, multiplier, shift)
        return np.clip(scaled + node["y"].zero_point, low, high)

    def thresholds(function: Callable[[Ints], Ints]) -> Ints:
        ends = -bounds[:, np.newaxis], bounds[:, np.newaxis] + 1
        return bisected(lambda sums: function(sums.T).T, np.arange(low + 1, high + 1), *ends)

    wanted, found = thresholds(partial(MATMUL.requantized, node)), thresholds(library)
    return "" if np.array_equal(wanted, found) else DIFFERS


def _fixed(node: NodeView) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    pairs = [quantize_multiplier(float(scale)) for scale in scales(node)]
    multiplier, shift = zip(*pairs, strict=True)
    return np.array(multiplier, np.int32), np.array(shift, np.int32)


COSTS = {"mve": MATMUL.cost(0.47, 23.2), "dsp": MATMUL.cost(1.96, 60.5)}
KERNELS = nn_kernels({"T": i8, "W": i8, "B": i32}, NnMatrix, plan, COSTS, NnTables)
