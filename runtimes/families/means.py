"""Arithmetic of means along axes, for ops that `reduction` makes."""

from opsmith.op import *
from runtimes.core.accumulator import overflow_problems
from runtimes.core.fixed_point import multiply_by_quantized_multiplier
from runtimes.core.notebook import by_single
from runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from runtimes.families.reduction import (
    elements_of,
    mean_scaling,
    reduced_axes,
    reduced_elements,
    reduced_line,
)


def rescaling(node: NodeView) -> dict[str, Any]:
    """Constants that make a mean of a sum: the sum of x's zero points, y's zero point, and
    multiplier (Q31) and shift for x.scale / y.scale / elements per mean.
    """
    elements = reduced_elements(node)
    multiplier, shift = mean_scaling(node, elements)
    return {
        "zero_point_sum": node["x"].zero_point * elements,
        "output_zero_point": node["y"].zero_point,
        "multiplier": multiplier,
        "shift": shift,
    }


def mean_problems(node: NodeView) -> Iterator[str]:
    """Problems of quantisation that this arithmetic of means cannot take."""
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if node["x"].dtype == i16 and not problems:
        yield from (problems := list(symmetric_problems(node, "x", "y")))
    if not problems and reduced_elements(node):
        low, high = node["x"].dtype.limits
        bound = np.array([reduced_elements(node) * (high - low)])
        yield from overflow_problems(bound, mean_scaling(node, reduced_elements(node))[1])


def mean_examples(x: ExampleTensor, *scales: float) -> tuple[Example, ...]:
    """Examples of means over an image's pixels, at x's scale and others, and over channels."""
    outputs = (replace(x, shape=None, scale=scale) for scale in (x.scale, *scales))
    pixels = (Example.of(x=x, axis=[1, 2], y=each) for each in outputs)
    return *pixels, Example.of(x=x, axis=[3], y=replace(x, shape=None))


def image_rows(node: NodeView) -> int | None:
    """Rows of an image whose means over height and width are y, an image; None for other nodes."""
    x, y = node["x"], node["y"]
    whole = len(x.shape) == len(y.shape) == 4 and reduced_axes(node) == {1, 2}
    return x.shape[1] if whole else None


def quantized_means(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Means of quantised elements, in numpy."""
    if not reduced_elements(node):
        return _of_none(node)
    sums = inputs[0].astype(np.int64).sum(axis=tuple(reduced_axes(node)))
    y = node["y"]
    return [scaled_means(node, sums).astype(y.dtype.numpy).reshape(y.shape)]


def scaled_means(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """Elements of y for these sums; a larger sum never gives a smaller element."""
    return np.asarray(np.clip(_SCALED[node.numerics](node, sums), *node["y"].dtype.limits))


def _by_q31(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    p: dict[str, int] = node.once(rescaling)
    lifted = sums - p["zero_point_sum"]
    scaled = multiply_by_quantized_multiplier(lifted, p["multiplier"], p["shift"])
    return scaled + p["output_zero_point"]


def _by_single(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    return by_single(sums, *reduced_line(node, mean=True))


_SCALED = {Numerics.REFERENCE: _by_q31, Numerics.NOTEBOOK: _by_single}


def quotients(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Means of integers in numpy: sums wrap at 64 bits, and quotients are cut towards zero."""
    if not reduced_elements(node):
        return _of_none(node)
    with np.errstate(over="ignore"):
        sums = elements_of(node, inputs[0]).sum(axis=-1, dtype=np.int64)
    whole, rest = np.divmod(sums, reduced_elements(node))
    means = whole + ((rest != 0) & (sums < 0))
    return [means.astype(node["y"].dtype.numpy).reshape(node["y"].shape)]


def real_means(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Means of float32 in numpy, summed from the first element to the last."""
    if not reduced_elements(node):
        return _of_none(node)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.add.accumulate(elements_of(node, inputs[0]), axis=-1)[:, -1] + np.float32(0)
        return [(sums / np.float32(reduced_elements(node))).reshape(node["y"].shape)]


def _of_none(node: NodeView) -> Sequence[Array]:
    """LiteRT's means of no elements: NaN for floats; 0 for integers, whatever their zero point."""
    y = node["y"]
    return [np.full(y.shape, math.nan if y.dtype == f32 else 0, y.dtype.numpy)]
