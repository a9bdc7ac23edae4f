"""Mul of quantised elements: products at the scale of y, and the kernels that rescale products."""

from opsmith.op import *
from opsmith.op.clamp import bounds
from runtimes.core.accumulator import LIMIT
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.notebook import OF_UINT8, by_single, few_axes, unlike, where
from runtimes.core.tflm import rescaled_otherwise, unlike_tflm
from runtimes.families import binary
from runtimes.families.binary import example, zero_points
from runtimes.families.broadcast import Pairs, pairs

REFERENCE_COST = 20.0  # instructions per element


@dataclass(frozen=True)
class ProductPairs(Pairs):
    """Walk through pairs of quantised tensors, rescaling of products, and bounds of y."""

    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    multiplier: int  # Q31, of a.scale * b.scale / y.scale
    shift: int
    activation_min: int
    activation_max: int


def quantised(dtype: DType) -> Variant:
    """Variant of int8, uint8 or int16."""
    channels = example(dtype, (2, 3, 4, 5), (5,), np.array([50, 89, 120, 57, 123]), y_scale=0.1)
    definition = reference(params, cost=per_element(REFERENCE_COST))
    return binary.quantised(
        dtype,
        ((PRODUCTS, definition) if dtype == i8 else (definition,)),
        evaluate,
        value_range,
        examples=(channels, *(example(dtype, (4, 5), (4, 5), y_scale=s) for s in (0.1, 0.0871))),
        kind=Kind("binary", "products"),
        numerics={
            i8: {**where(taken_by_xnnpack), **unlike_tflm(factor_differs)},
            u8: unlike(OF_UINT8),
            i16: unlike_tflm(factor_differs),
        }[dtype],
    )


def params(node: NodeView) -> ProductPairs:
    """Walk, zero points and scale of products; TFLite multiplies scales in single precision."""
    multiplier, shift = quantize_multiplier(factor(node), wraps=True)
    return ProductPairs(
        **vars(pairs(node)),
        **zero_points(node),
        multiplier=multiplier,
        shift=shift,
        **bounds(node),
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Products of quantised elements, in numpy."""
    if node.numerics == Numerics.NOTEBOOK and is_square(node):
        return [_squared(node, inputs[0])]
    a, b = (
        each.astype(np.int64) - node[name].zero_point
        for name, each in zip("ab", inputs, strict=True)
    )
    return [requantized(node, a * b).astype(node["y"].dtype.numpy)]


def is_square(node: NodeView) -> bool:
    """True if a tensor is multiplied by itself."""
    return node["a"].id == node["b"].id


def _squared(node: NodeView, x: Array) -> Array:
    """XNNPACK's square of int8, computed from float values (src/reference/unary-elementwise.cc)."""
    a, y = node["a"], node["y"]
    values = (x.astype(np.int64) - a.zero_point).astype(np.float32) * np.float32(a.scale)
    with np.errstate(over="ignore", invalid="ignore"):
        found = values * values * (np.float32(1) / np.float32(y.scale)) + np.float32(y.zero_point)
    return np.asarray(np.clip(np.rint(np.nan_to_num(found)), *clamp_range(node)), np.int8)


def requantized(node: NodeView, products: NDArray[np.int64]) -> NDArray[np.int64]:
    """Elements of y for these products."""
    y: NDArray[np.int64] = _RESCALED[node.numerics](node, products) + node["y"].zero_point
    return np.clip(y, *clamp_range(node))


def _by_q31(node: NodeView, products: NDArray[np.int64]) -> NDArray[np.int64]:
    p = node.once(params)
    return multiply_by_quantized_multiplier(products, p.multiplier, p.shift)


def factor(node: NodeView) -> float:
    """a.scale * b.scale / y.scale in single precision."""
    a, b, y = (np.float32(node[name].scale) for name in "aby")
    with np.errstate(over="ignore", under="ignore"):
        return float(a * b / y)


def factor_differs(node: NodeView) -> bool:
    """True if TensorFlow Lite Micro's factor, in double precision, would change y for some product,
    or if tensors have more axes than it takes.
    """
    a, b, y = (node[name].scale for name in "aby")
    ends = [[end - node[name].zero_point for end in node[name].dtype.limits] for name in "ab"]
    products = [one * other for one in ends[0] for other in ends[1]]
    return not few_axes(node) or rescaled_otherwise(
        node, factor(node), a * b / y, min(products), max(products)
    )


def taken_by_xnnpack(node: NodeView) -> bool:
    """True if XNNPACK takes an int8 node."""
    far = factor(node) >= 2.0**8 or (factor(node) < 2.0**-16 and not is_square(node))
    return few_axes(node) and not far


_RESCALED: Mapping[Numerics, Callable[[NodeView, NDArray[np.int64]], NDArray[np.int64]]] = {
    Numerics.REFERENCE: _by_q31,
    Numerics.NOTEBOOK: lambda node, products: by_single(products, factor(node)),
}


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y: the extreme products of the operands' bounds; a larger product gives no smaller
    element unless it wraps.
    """
    if node.numerics == Numerics.NOTEBOOK and is_square(node):
        return []
    p, channels = params(node), channels_of(node["y"])
    a = ranges[node["a"].id].spread(channels) - p.a_zero_point
    b = ranges[node["b"].id].spread(channels) - p.b_zero_point
    products = np.stack([x * y for x in (a.low, a.high) for y in (b.low, b.high)])
    if (np.abs(products) << max(p.shift, 0) > LIMIT).any():
        return []
    ends = (requantized(node, products.min(axis=0)), requantized(node, products.max(axis=0)))
    return [Range(*ends)]


def shifted(shifts: range) -> Callable[[NodeView], str]:
    """Problem of shifts other than these, for kernels that rescale products by them alone."""

    def problem(node: NodeView) -> str:
        shift = params(node).shift
        if shift in shifts:
            return ""
        return f"products are shifted by {shift}, not by {shifts[0]} to {shifts[-1]}"

    return problem


PRODUCTS = Kernel(  # where requantize_product is exact, for cores without long products
    "products",
    ProductPairs,
    refusing(every_node(params, overlap=elementwise), shifted(range(-22, 1))),
    excludes={"dsp"},
    cost=per_element(17.0),
)
