"""Layers of float32 by int8 weights, which TFLite calls dynamic-range quantisation.

x is quantised when the node runs, each row or image by its own range. Sums are integers, which the
scales of x and of the weights turn back into floats.
"""

from opsmith.op import *
from opsmith.op.overlap import pixel_distance, row_walk
from runtimes.core.accumulator import LIMIT
from runtimes.core.channel_packing import filled_up
from runtimes.core.dynamic_range import quantised
from runtimes.core.notebook import OPTIMISED
from runtimes.core.per_channel import bias_of, bias_problems
from runtimes.core.vector_activation import activated
from runtimes.families.layer import Layer
from runtimes.families.layer_variants import integer_sums

LARGEST_PRODUCT = 255 * 128


@dataclass(frozen=True)
class Dynamic:
    """LiteRT's way to quantise x of a node, and the order in which it multiplies."""

    # from the least to the greatest element, not by the largest magnitude
    asymmetric: Callable[[NodeView], bool]
    # sums by the scale of their weights, and then by that of x; not by the product of both
    one_by_one: Callable[[NodeView], bool] = lambda node: False
    # as a product of a matrix and vectors: where all of x is zero, nothing is added to the bias,
    # so that its -0 stays -0, and the activation is the one of vectors
    of_vectors: bool = False


LEAST_RANGE = 7.5e-37  # of a row, whose scale has a finite reciprocal above it


def no_range(node: NodeView, inputs: Sequence[Array]) -> bool:
    """True if some row of x is not finite, or has only elements near zero."""
    most = np.abs(inputs[0]).max(axis=-1, initial=0)
    return not bool(np.isfinite(most).all()) or bool(((most > 0) & (most < LEAST_RANGE)).any())


NO_RANGE = Departure(
    "a row quantised at run time that is not finite, or whose range is below 7.5e-37",
    "gives elements that depend on their place in the row",
    "each element by the formula",
    no_range,
)


def dynamic_variant(
    layer: Layer,
    dynamic: Dynamic,
    reference: Kernel,
    *examples: Example,
    check: Callable[[NodeView], Iterator[str]] | None = None,
) -> Variant:
    """Variant of a layer of float32 with int8 weights. `check` yields further problems."""

    def problems(node: NodeView) -> Iterator[str]:
        yield from _problems(layer, node)
        if check is not None:
            yield from check(node)

    return Variant(
        types={"T": f32, layer.type_variable: i8, "B": f32},
        kernels=(reference,),
        kind=Kind("dynamic_range", "float32", {"layer": layer, "dynamic": dynamic}),
        folder="f32x8",
        departs=NO_RANGE,
        check=problems,
        evaluate=partial(_evaluate, layer, dynamic),
        numerics=OPTIMISED,
        examples=examples,
    )


def image_overlap(node: NodeView, images: int = 0) -> dict[str, Distance]:
    """Distances for kernels that quantise a whole image of x before they write any output of it.
    `images` is the number of them, by default x's first size.
    """
    x, y = node["x"], node["y"]
    images = images or x.shape[0]
    read, written = (each.elements // images * each.dtype.size for each in (x, y))
    walk = pixel_distance(row_walk(images), read, written, written)
    return {"x": Distance(walk.forward)}


def weight_scales(weights: Tensor, channels: int) -> NDArray[np.float32]:
    """Scale of the weights of each channel of y."""
    quantization = weights.quantization
    assert quantization is not None
    scales = np.array(quantization.scales, np.float32)
    return np.ascontiguousarray(np.broadcast_to(scales, channels))


def scale_problems(weights: Tensor, name: str, axis: int, channels: int) -> Iterator[str]:
    """Sentences about weights that are not symmetric, or not quantised per tensor or channel."""
    quantization = weights.quantization
    if quantization is None or len(quantization.scales) not in (1, channels):
        yield f"{name} must have 1 or {channels} scales"
    elif quantization.per_channel and quantization.axis != axis:
        yield f"{name} must be quantised along axis {axis}"
    elif any(quantization.zero_points):
        yield f"{name} must have zero points 0"


def _problems(layer: Layer, node: NodeView) -> Iterator[str]:
    yield from bias_problems(node)
    yield from scale_problems(node[layer.weights], layer.weights, layer.axis, node["y"].shape[-1])
    if layer.inputs(node) * LARGEST_PRODUCT > LIMIT:
        yield "a sum may overflow 32 bits"


def _evaluate(
    layer: Layer, dynamic: Dynamic, node: NodeView, inputs: Sequence[Array]
) -> Sequence[Array]:
    batches = layer.window(node).batches
    elements, scale = quantised(inputs[0].reshape(batches, -1), dynamic.asymmetric(node))
    sums = integer_sums(layer, node, elements).astype(np.float32)
    of_x = scale.reshape(-1, 1, 1, 1)
    of_weights = weight_scales(node[layer.weights], node["y"].shape[-1])
    with np.errstate(over="ignore", invalid="ignore"):
        together = sums * (of_x * of_weights)
        real = sums * of_weights * of_x if dynamic.one_by_one(node) else together
        y = (real + bias_of(node)).reshape(node["y"].shape)
    if dynamic.of_vectors:
        return [activated(node.attributes["activation"], y)]
    return [real_clamped(node, y)]


@dataclass(frozen=True)
class WeightRows:
    """Rows of int8 weights whose sums become floats, by a scale and a bias each."""

    weights: Array  # [rows][inputs]
    scale: NDArray[np.float32]
    bias: NDArray[np.float32]


def real_rows(layer: Layer, node: NodeView) -> WeightRows:
    """Rows of a layer's output channels."""
    scale = weight_scales(node[layer.weights], node["y"].shape[-1])
    return WeightRows(layer.rows(node), scale, np.asarray(bias_of(node), np.float32))


def real_channels(rows: WeightRows, multiple: int, *more: Array) -> NDArray[np.int32]:
    """Rows of struct RealChannel, with columns `more`, and zeros up to a multiple of `multiple`."""
    bits = (np.ascontiguousarray(each).view(np.int32) for each in (rows.scale, rows.bias))
    sums = rows.weights.sum(axis=1, dtype=np.int32)
    return filled_up(np.stack([*bits, sums, *more], axis=1), multiple)
