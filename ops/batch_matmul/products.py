"""BatchMatMul in numpy, for each element type."""

from opsmith.op import *
from runtimes.core.fixed_point import multiply_by_quantized_multiplier
from runtimes.core.notebook import by_single
from runtimes.core.rescaling import Narrow

from .operands import TRANSPOSED, depth, factor
from .sums import lifted_sums, narrow_sums


def lifted(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of int8, in numpy."""
    p = lifted_sums(node)
    a, b = (
        x.astype(np.int64) - node[name].zero_point for name, x in zip("ab", inputs, strict=True)
    )
    products = _products(node, a, b)
    if node.numerics == Numerics.NOTEBOOK:
        scaled = by_single(products, factor(node))
    else:
        scaled = multiply_by_quantized_multiplier(products, p.multiplier, p.shift)
    return [np.clip(scaled + p.y_zero_point, *i8.limits).astype(np.int8)]


def plain(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Sums of int8, in numpy."""
    return [_products(node, *(x.astype(np.int32) for x in inputs))]


def narrow(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of int16 in numpy; rescaled sums wrap at 32 bits."""
    p = narrow_sums(node)
    rescaled = Narrow(np.int16(p.multiplier).tobytes(), np.int8(p.shift).tobytes())
    scaled = rescaled(_products(node, *(x.astype(np.int64) for x in inputs))).astype(np.int32)
    return [np.clip(scaled, *i16.limits).astype(np.int16)]


def floats(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of float32 in numpy: products are added one by one."""
    a, b = matrices(node, *inputs)
    y = np.zeros(node["y"].shape, np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(depth(node)):
            products = a[..., i : i + 1] * b[..., i : i + 1, :]
            y = y + products
    return [y]


def _products(node: NodeView, a: Array, b: Array) -> Array:
    return np.asarray(np.matmul(*matrices(node, a, b)))


def matrices(node: NodeView, *inputs: Array) -> list[Array]:
    """Matrices a and b in the orientation of the product."""
    return [
        np.swapaxes(x, -1, -2) if node.attributes[TRANSPOSED[name]] else x
        for name, x in zip("ab", inputs, strict=True)
    ]
