"""Geometry of a TransposeConv's filters, and their sums in y, in numpy."""

from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.layer import weights_zero_point
from runtimes.families.window import output_size, padding_before

Product = Callable[[Array, Array], Array]
_ALONG = {1: "height", 2: "width"}


@dataclass(frozen=True, kw_only=True)
class TransposedGeometry:
    """Geometry of filters over y. Sizes in pixels and channels."""

    batches: int
    input_height: int
    input_width: int
    input_channels: int
    filter_height: int
    filter_width: int
    output_height: int
    output_width: int
    output_channels: int
    stride_height: int
    stride_width: int
    padding_top: int
    padding_left: int


def transposed(node: NodeView) -> Sequence[TensorType]:
    """Type of y, of shape output_shape. Raises OpError unless convolving y gives x's size."""
    x, weights, shape = node["x"], node["filter"], node["output_shape"]
    if x.shape[3] != weights.shape[3]:
        raise OpError(f"the channels of x {x.type} do not fit filter {weights.type}")
    y = tuple(shape.data.reshape(-1).tolist())
    if len(y) != 4 or (y[0], y[3]) != (x.shape[0], weights.shape[0]) or min(y[1:]) < 1:
        wanted = f"{x.shape[0]}xHxWx{weights.shape[0]}"
        raise OpError(f"output_shape is {'x'.join(map(str, y))}, not {wanted}")
    for axis, along in _ALONG.items():
        stride, window = node.attributes[f"stride_{along}"], weights.shape[axis]
        covered = output_size(node.attributes["padding"], y[axis], window, stride)
        if covered != x.shape[axis]:
            raise OpError(f"a {along} of {y[axis]} takes {covered} filters, not {x.shape[axis]}")
    return [TensorType(x.dtype, y)]


def macs(node: NodeView) -> int:
    """Number of multiplications: every pixel of x times every filter."""
    return node["x"].elements // node["x"].shape[3] * node["filter"].elements


def _padding(node: NodeView, axis: int) -> int:
    x, window, y = (node[name].shape[axis] for name in ("x", "filter", "y"))
    stride = node.attributes[f"stride_{_ALONG[axis]}"]
    return padding_before(node.attributes["padding"], y, window, stride, 1, x)


FACTS: Facts = {
    **CONVOLUTION.facts,
    "padding_top": lambda node: _padding(node, 1),
    "padding_left": lambda node: _padding(node, 2),
}


def integer_sums(node: NodeView, x: Array) -> Array:
    """Sums of y without a bias: x and filter without their zero points, tap by tap."""
    weights = node["filter"].data.astype(np.int64) - weights_zero_point(node["filter"])
    covered = _Covered(node, np.int64)
    for row, column in np.ndindex(*weights.shape[1:3]):
        products = np.einsum("bhwi,oi->bhwo", x, weights[:, row, column])
        covered.tap(row, column)[...] += products
    return covered.y


def float_sums(node: NodeView, x: Array, product: Product = np.multiply) -> Array:
    """Sums of float32: for one element of x after the other, with all of its filters.

    `product` multiplies an element of each batch, [batches, 1, 1, 1], and weights of y's channels.
    """
    weights = node["filter"].data
    covered = _Covered(node, np.float32)
    for row, column, channel in np.ndindex(*x.shape[1:]):
        element = x[:, row, column, channel].reshape(-1, 1, 1, 1)
        products = product(element, weights[..., channel].transpose(1, 2, 0))
        covered.window(row, column)[...] += products
    return covered.y


class _Covered:
    """Pixels that filters cover: those of y and, around them, unused pixels."""

    def __init__(self, node: NodeView, dtype: type) -> None:
        (batches, *self._input, _), a = node["x"].shape, node.attributes
        self._filter, self._y = node["filter"].shape[1:3], node["y"].shape
        self._stride = a["stride_height"], a["stride_width"]
        self._start = _padding(node, 1), _padding(node, 2)
        steps = zip(self._input, self._stride, self._filter, strict=True)
        ends = zip(self._start, self._y[1:3], strict=True)
        size = [
            max((count - 1) * stride + window, start + y)
            for (count, stride, window), (start, y) in zip(steps, ends, strict=True)
        ]
        self._all = np.zeros((batches, *size, self._y[3]), dtype)

    def tap(self, row: int, column: int) -> Array:
        """Pixels that one tap of the filters covers, one for each pixel of x."""
        down, right = (
            slice(tap, tap + (count - 1) * stride + 1, stride)
            for tap, count, stride in zip((row, column), self._input, self._stride, strict=True)
        )
        return self._all[:, down, right]

    def window(self, row: int, column: int) -> Array:
        """Pixels that the filters cover for one pixel of x."""
        down, right = (
            slice(at * stride, at * stride + window)
            for at, stride, window in zip((row, column), self._stride, self._filter, strict=True)
        )
        return self._all[:, down, right]

    @property
    def y(self) -> Array:
        """Pixels of y among those that filters cover."""
        (top, left), (_, height, width, _) = self._start, self._y
        return self._all[:, top : top + height, left : left + width]
