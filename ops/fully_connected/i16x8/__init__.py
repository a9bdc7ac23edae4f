"""FullyConnected of int16 by int8 weights, with a bias of int64 or int32.

All tensors are symmetric: zero points are 0. Sums are as wide as the bias, 64 bits without one, and
are requantised in double precision, round(double(sum) * scale), as LiteRT's reference kernel does.
"""

from opsmith.op import *
from runtimes.core.narrow_requantization import LOWEST, has_wide_sums
from runtimes.core.notebook import NOT_OPTIMISED, OPTIMISED
from runtimes.core.per_channel import bias_of
from runtimes.core.per_tensor import zero_problems
from runtimes.core.tflm import unlike_tflm
from runtimes.families.layer import weights_zero_point
from runtimes.families.layer_variants import int16_variant
from runtimes.families.matmul import MATMUL, operand_problems, row_overlap, scales

from .params import Params


@dataclass(frozen=True)
class Tables:
    """Weights in the model's order, biases of int64, and scales."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int64]  # [channels]
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


@dataclass(frozen=True)
class Bias32Tables:
    """Weights in the model's order, biases of int32, and scales."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int32]  # [channels]
    scale: NDArray[np.float64]


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisation that this arithmetic cannot take."""
    yield from (problems := list(operand_problems(node)))
    if problems:
        return
    if weights_zero_point(node["weights"]):
        yield "weights must have zero points 0"
    yield from zero_problems(node, "x", "y")
    yield from _overflow_problems(node)


def _overflow_problems(node: NodeView) -> Iterator[str]:
    most = _largest_sums(node)
    if not has_wide_sums(node):
        most = [min(each, 2**31) for each in most]
    ratios = np.broadcast_to(scales(node), len(most))
    if max(most) >= 2**63:
        yield "a sum may overflow 64 bits"
    elif any(m * float(ratio) >= 2**31 - 1 for m, ratio in zip(most, ratios, strict=True)):
        yield "a scaled sum may overflow 32 bits"


def _largest_sums(node: NodeView) -> list[int]:
    """Bounds of the magnitudes of sums, by channel, in Python's integers, which do not overflow."""
    weights, bias = node["weights"].data.astype(np.int64), bias_of(node)
    return [LOWEST * int(w) + abs(int(b)) for w, b in zip(abs(weights).sum(1), bias, strict=True)]


def wrap_problem(node: NodeView) -> str:
    """Reason against a bias of int32, whose sums may wrap, for kernels of wider sums, or ""."""
    wraps = not has_wide_sums(node) and max(_largest_sums(node)) >= 2**31
    return "a sum may wrap at 32 bits" if wraps else ""


def example(bias: DType, said: str) -> Example:
    """Example of five channels."""
    return Example.of(
        {"quantized_bias_type": said},
        x=ExampleTensor(i16, (1, 12), scale=0.001),
        weights=ExampleTensor(i8, (5, 12), scale=0.0113, data=np.arange(60) % 100),
        bias=ExampleTensor(bias, (5,), data=np.array([2000, 1018, 1794, 1918, 488])),
        y=ExampleTensor(i16, (1, 5), scale=0.002),
    )


REFERENCE = MATMUL.reference(Params, Tables, row_overlap, (8.0, 170.0))
REFERENCE_32 = MATMUL.reference(Params, Bias32Tables, row_overlap, (8.0, 170.0))
RULES = {
    Numerics.NOTEBOOK: lambda node: None if node.get("bias") else NOT_OPTIMISED,
    **unlike_tflm(),
}
I16X8 = replace(int16_variant(MATMUL, check, REFERENCE, example(i64, "INT64")), numerics=RULES)
I16X8_32 = replace(
    int16_variant(MATMUL, check, REFERENCE_32, example(i32, "INT32"), bias=i32),
    numerics={**OPTIMISED, **unlike_tflm()},
)
