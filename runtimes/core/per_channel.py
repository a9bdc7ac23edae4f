"""Constants of each output channel of int8 convolutions: biases and multipliers.

(TFLite: PopulateConvolutionQuantizationParams)
"""

from functools import lru_cache

from opsmith.op import *
from runtimes.core.fixed_point import quantize_multipliers
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.core.rescaling import FixedPoint, Singles
from runtimes.core.scale_ratios import Rule, double_product, single_product, single_ratio

BIAS = Input("bias", "B", constant=True, optional=True, first=True)
# the type of a bias that is added to products of int16; FLOAT32 says nothing, and means int64
BIAS_TYPE = Attribute(
    "quantized_bias_type", str, default="FLOAT32", choices=("FLOAT32", "INT32", "INT64")
)
_BIASES = {i8: np.int32, u8: np.int32, i16: np.int64, f32: np.float32}  # by the element type of y


@dataclass(frozen=True)
class Tables:
    """Filter of an int8 convolution, and bias, multiplier and shift of each output channel."""

    filter: NDArray[np.int8]  # as the model has it
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int8]  # power of two, left is positive


@dataclass(frozen=True)
class SingleTables:
    """Constants of an int8 convolution whose sums are rescaled in single precision."""

    filter: NDArray[np.int8]  # as the model has it
    bias: NDArray[np.int32]
    factor: NDArray[np.float32]


@dataclass(frozen=True)
class ThresholdTables:
    """Constants of an int8 convolution that requantises by thresholds."""

    filter: NDArray[np.int8]  # as the model has it
    requantization: NDArray[np.int32]  # [channels][2]: Threshold; then Exception


def channel_multipliers(node: NodeView) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """(multiplier, shift) of each output channel, for x.scale * filter.scale / y.scale."""
    x, quantization = node["x"], node["filter"].quantization
    assert quantization is not None
    rule = single_product if x.dtype == u8 else double_product
    return _multipliers(rule, x.scale, quantization.scales, node["y"].scale, node["y"].shape[-1])


@lru_cache(maxsize=4096)  # each stage asks for the constants of all nodes
def _multipliers(
    rule: Rule, x: float, filter_: tuple[float, ...], y: float, channels: int
) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    found = quantize_multipliers(np.broadcast_to(rule(x, filter_, y), channels))
    for each in found:
        each.setflags(write=False)  # callers share the arrays
    return found


def fixed_point(node: NodeView) -> FixedPoint:
    """Q31 rescaling of the sums of an int8 convolution."""
    multipliers, shifts = channel_multipliers(node)
    return FixedPoint(multipliers.tobytes(), shifts.tobytes())


def singles(node: NodeView, weights: str) -> Singles:
    """XNNPACK's rescaling of the sums of an int8 layer with the operand `weights`."""
    quantization = node[weights].quantization
    assert quantization is not None
    ratios = single_ratio(node["x"].scale, quantization.scales, node["y"].scale)
    return Singles(np.broadcast_to(ratios, node["y"].shape[-1]).tobytes())


def bias_of(node: NodeView) -> Array:
    """Bias of each output channel; zeros for a node without bias."""
    bias, y = node.get("bias"), node["y"]
    found: Array = np.zeros(y.shape[-1], _BIASES[y.dtype]) if bias is None else bias.data
    return found.reshape(y.shape[-1])


def folded_bias(node: NodeView, weights: Array) -> NDArray[np.int64]:
    """Bias of each channel less the input zero point times the channel's row of weights."""
    sums = weights.sum(axis=1, dtype=np.int64)
    return np.asarray(bias_of(node) - node["x"].zero_point * sums, np.int64)


def bias_problems(node: NodeView) -> Iterator[str]:
    """Sentence about a bias whose size is not the number of output channels."""
    bias, channels = node.get("bias"), node["y"].shape[-1]
    if bias is not None and bias.elements != channels:
        yield f"bias has {bias.elements} elements instead of {channels}"


def per_channel_problems(node: NodeView, axis: int) -> Iterator[str]:
    """Sentences about quantisation that a per-channel convolution cannot have."""
    problems = [*_quantization_problems(node, axis), *bias_problems(node)]
    yield from problems
    if not problems:
        channel_multipliers(node)  # raises OpError where a ratio of scales has no multiplier


def _quantization_problems(node: NodeView, axis: int) -> Iterator[str]:
    yield from per_tensor_problems(node, "x", "y")
    quantization, channels = node["filter"].quantization, node["y"].shape[-1]
    if quantization is None or len(quantization.scales) not in (1, channels):
        yield f"filter must have 1 or {channels} scales"
    elif quantization.per_channel and quantization.axis != axis:
        yield f"filter must be quantised along axis {axis}"
    elif any(quantization.zero_points):
        yield "filter must have zero points 0"
