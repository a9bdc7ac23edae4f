"""TransposeConv for each combination of element types."""

from types import MappingProxyType

from opsmith.op import *
from runtimes.core import narrow_requantization, per_channel
from runtimes.core.accumulator import accumulator_bounds, overflow_problems
from runtimes.core.dynamic_range import quantised
from runtimes.core.narrow_requantization import bias_type_problems, has_wide_sums, narrow_problems
from runtimes.core.notebook import NOT_TAKEN, OF_FLOATS, OF_UINT8, unlike
from runtimes.core.per_channel import (
    bias_of,
    bias_problems,
    channel_multipliers,
    per_channel_problems,
)
from runtimes.core.per_tensor import per_tensor_problems, zero_problems
from runtimes.core.tflm import unlike_tflm
from runtimes.families.convolution import rescaling
from runtimes.families.dynamic_range import scale_problems, weight_scales
from runtimes.families.layer import Clamped, RealClamped, weights_zero_point
from runtimes.families.layer_variants import by_xnnpack
from runtimes.families.owning import with_large_multiplier, with_least

from .geometry import FACTS, TransposedGeometry, float_sums, integer_sums, macs
from .params import I8Params


@dataclass(frozen=True, kw_only=True)
class U8Params(I8Params):
    """Geometry, zero points and bounds of uint8, with a zero point of the weights, too."""

    filter_zero_point: int


@dataclass(frozen=True, kw_only=True)
class I16Params(Clamped, TransposedGeometry):
    """Geometry, and bounds of y, of int16."""


@dataclass(frozen=True, kw_only=True)
class F32Params(RealClamped, TransposedGeometry):
    """Geometry, and bounds of y, of float32."""


@dataclass(frozen=True)
class U8Tables:
    """Filter, biases, multipliers and shifts of uint8."""

    filter: NDArray[np.uint8]  # as the model has it
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31, of each channel
    shift: NDArray[np.int8]  # power of two, left is positive


class I8Tables(per_channel.Tables):
    """Filter, biases, multipliers and shifts for 32-bit sums."""


class I16Tables(narrow_requantization.Tables):
    """Filter, biases, multipliers and shifts for 64-bit sums."""


@dataclass(frozen=True)
class F32Tables:
    """Filter and biases of float32."""

    filter: NDArray[np.float32]
    bias: NDArray[np.float32]


@dataclass(frozen=True)
class F32x8Tables:
    """Filter, biases and scales of float32 by int8."""

    filter: NDArray[np.int8]
    bias: NDArray[np.float32]
    scale: NDArray[np.float32]  # of the filter, of each channel


def i8_problems(node: NodeView) -> Iterator[str]:
    """Problems of int8 quantisation that this arithmetic cannot take."""
    yield from (problems := list(per_channel_problems(node, axis=0)))
    if not problems:
        yield from _overflow_problems(node)


def u8_problems(node: NodeView) -> Iterator[str]:
    """Problems of uint8 quantisation that this arithmetic cannot take."""
    yield from (problems := list(per_tensor_problems(node, "x", "filter", "y")))
    if not problems:
        yield from bias_problems(node)
        yield from _overflow_problems(node)


def _overflow_problems(node: NodeView) -> Iterator[str]:
    weights = node["filter"].data.reshape(node["y"].shape[3], -1)
    bounds = accumulator_bounds(
        node["x"], weights, bias_of(node), weights_zero_point(node["filter"])
    )
    yield from overflow_problems(bounds, channel_multipliers(node)[1], bias_of(node))


def i16_problems(node: NodeView) -> Iterator[str]:
    """Problems of int16 quantisation for this arithmetic; with a bias of int32, sums wrap."""
    yield from bias_type_problems(node)
    if has_wide_sums(node):
        yield from narrow_problems(node, node["filter"].data.reshape(node["y"].shape[3], -1), 0)
        return
    yield from (problems := list(per_channel_problems(node, axis=0)))
    if not problems:
        yield from zero_problems(node, "x", "y")


def integers(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of integers, in numpy."""
    y, bias = node["y"], bias_of(node)
    sums = integer_sums(node, inputs[2].astype(np.int64) - node["x"].zero_point)
    sums = (sums + bias).astype(bias.dtype).astype(np.int64)
    scaled = rescaling(node)(sums) + y.zero_point
    return [np.clip(scaled, *clamp_range(node)).astype(y.dtype.numpy)]


def floats(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of float32, in numpy."""
    with np.errstate(over="ignore", invalid="ignore"):
        return [real_clamped(node, float_sums(node, inputs[2]) + bias_of(node))]


def dynamic_problems(node: NodeView) -> Iterator[str]:
    """Problems of float32 with int8 weights."""
    yield from bias_problems(node)
    yield from scale_problems(node["filter"], "filter", 0, node["y"].shape[3])


def dynamic(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of float32 by int8 weights, in numpy."""
    x, of_weights = inputs[2], _FACTS["scale"](node)
    elements, scale = quantised(x.reshape(len(x), -1), asymmetric=True)

    def product(element: Array, weights: Array) -> Array:
        found: Array = (element * weights).astype(np.float32) * of_weights
        return found * scale.reshape(-1, 1, 1, 1)

    with np.errstate(over="ignore", invalid="ignore"):
        sums = float_sums(node, elements.reshape(x.shape), product)
        return [real_clamped(node, sums + bias_of(node))]


_FACTS: Facts = {
    **FACTS,
    "scale": lambda node: weight_scales(node["filter"], node["y"].shape[3]),
}


def integer_cost(node: NodeView) -> float:
    """Cost of products and of outputs."""
    return 11.0 * macs(node) + 130.0 * node["y"].elements


def variant(
    types: tuple[DType, DType, DType],  # of x, of the filter and of the bias
    params: type[Any],
    tables: type[Any],
    check: Callable[[NodeView], Iterator[str]],
    evaluate: Callable[[NodeView, Sequence[Array]], Sequence[Array]] = integers,
    scratch: Mapping[str, Callable[[NodeView], int]] = MappingProxyType({}),  # of int8
) -> Variant:
    """Variant of these types, whose params and tables are facts."""
    x, weights, bias = types
    plan = every_node(
        partial(of_facts, params, facts=_FACTS),
        partial(of_facts, tables, facts=_FACTS),
        scratch=scratch,
    )
    reference = Kernel(
        "reference",
        params,
        plan,
        tables,
        scratch=dict.fromkeys(scratch, i8),
        cost=integer_cost if x.is_integer else instructions(macs, 8.0, 40.0),
    )
    scales = {f32: None}
    tensors = {
        "output_shape": ExampleTensor(i32, (4,), data=np.array([1, 8, 10, 4])),
        "filter": ExampleTensor(
            weights, (4, 3, 3, 2), scales.get(weights, 0.01), data=np.arange(72)
        ),
        "x": ExampleTensor(x, (1, 4, 5, 2), scales.get(x, 0.01)),
        "bias": ExampleTensor(
            bias, (4,), scales.get(bias, 0.0001), data=np.array([500, -1000, 2000, 0])
        ),
        "y": ExampleTensor(x, (1, 8, 10, 4), scales.get(x, 0.01)),
    }
    attributes = {
        "padding": "SAME",
        "stride_height": 2,
        "stride_width": 2,
        "quantized_bias_type": "INT32" if (x, bias) == (i16, i32) else "FLOAT32",
    }
    example = Example(tensors, attributes)
    large = [with_large_multiplier(example)] if x == i8 else []
    least = [with_least(each, "filter") for each in (example, *large)] if weights == i8 else []
    return Variant(
        {"T": x, "F": weights, "B": bias},
        (reference,),
        check=check,
        evaluate=evaluate,
        numerics=RULES[x],
        examples=(example, *large, *least),
    )


def of_notebook(node: NodeView) -> str | None:
    """Rule by which XNNPACK takes no node with padding whose filter is smaller than a stride."""
    window, strides = node["filter"].shape[1:3], (node.attributes[name] for name in STRIDES)
    smaller = any(size < stride for size, stride in zip(window, strides, strict=True))
    if smaller and node.attributes["padding"] == "SAME":
        return NOT_TAKEN
    return by_xnnpack("filter", biased=False)[Numerics.NOTEBOOK](node)


STRIDES = ("stride_height", "stride_width")
RULES = {
    i8: {Numerics.NOTEBOOK: of_notebook},
    i16: unlike_tflm(),
    u8: unlike(OF_UINT8),
    f32: unlike(OF_FLOATS),
}
VARIANTS = (
    variant((i8, i8, i32), I8Params, I8Tables, i8_problems),
    variant((u8, u8, i32), U8Params, U8Tables, u8_problems),
    variant((i16, i8, i64), I16Params, I16Tables, i16_problems),
    variant((i16, i8, i32), I16Params, I8Tables, i16_problems),
    variant((f32, f32, f32), F32Params, F32Tables, bias_problems, floats),
    variant(
        (f32, i8, f32),
        F32Params,
        F32x8Tables,
        dynamic_problems,
        dynamic,
        {"image": lambda node: node["x"].elements // node["x"].shape[0]},
    ),
)
