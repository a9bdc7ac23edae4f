"""Rows of x times a constant matrix [channels][depth]: parts that its variants share."""

from dataclasses import fields

from opsmith.op import *
from opsmith.op.overlap import pixel_distance, row_walk, side_by_side
from runtimes.core.exact_scale import requantization
from runtimes.core.fixed_point import quantize_multipliers
from runtimes.core.per_channel import bias_problems, singles
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.core.rescaling import FixedPoint, OfBytes, Scales
from runtimes.core.scale_ratios import double_product
from runtimes.families.layer import ELEMENT_FACTS, Layer, weights_zero_point
from runtimes.families.window import Geometry

KEEP_NUM_DIMS = Attribute("keep_num_dims", bool, default=False)


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Params of a matrix product: rows of x, depth, and channels."""

    rows: int
    depth: int  # elements of a row, and weights of an output channel
    channels: int  # output channels


@dataclass(frozen=True)
class PackedMatrix:
    """Weights and requantisation constants in the order in which a kernel reads words."""

    weights: NDArray[np.int8]
    requantization: NDArray[np.int32]  # a row for each channel


def multiplied(node: NodeView) -> Sequence[TensorType]:
    """Type of y: [rows, channels], or with keep_num_dims x's shape with its last size replaced.
    Raises OpError where sizes do not fit.
    """
    x, weights = node["x"], node["weights"]
    if len(weights.shape) != 2:
        raise OpError(f"weights {weights.type} must have two dimensions")
    channels, depth = weights.shape
    if node.attributes["keep_num_dims"]:
        if not x.shape or x.shape[-1] != depth:
            raise OpError(f"the last sizes of x {x.type} and weights {weights.type} differ")
        return [TensorType(x.dtype, (*x.shape[:-1], channels))]
    if x.shape[-1:] == (0,) and not depth:
        return [TensorType(x.dtype, (math.prod(x.shape[:-1]), channels))]
    if not depth or x.elements % depth:
        raise OpError(f"x {x.type} does not divide into rows of weights {weights.type}")
    return [TensorType(x.dtype, (x.elements // depth, channels))]


def columns(node: NodeView, order: Sequence[int]) -> dict[str, Tensor] | None:
    """Weights of integers for another order of a row; None for floats, whose sums would change."""
    weights = node["weights"]
    if node["y"].quantization is None or weights.packed:
        return None
    return {"weights": constant_of(weights, weights.data[:, list(order)], weights.dtype)}


def or_zeros(variant: Variant) -> Variant:
    """Variant that also takes rows without elements: LiteRT gives zeros, whatever the biases."""

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        if node["x"].elements and variant.evaluate is not None:
            return variant.evaluate(node, inputs)
        return [np.zeros(node["y"].shape, node["y"].dtype.numpy)]

    return replace(variant, evaluate=evaluate)


def row_overlap(node: NodeView, block: int = 1, rows: int = 1) -> dict[str, Distance]:
    """Distances for kernels that take up to `rows` rows at a time: a block of channels of y may
    need all of these rows of x after an earlier block is written.
    """
    p, width = MATMUL.params(Sizes, node), node["x"].dtype.size
    walk = side_by_side(row_walk(p.rows), p.rows, rows)
    distance = pixel_distance(walk, p.depth * width, p.channels * width, block * width)
    return {"x": Distance(distance.forward)}


def asymmetric(node: NodeView) -> Refused | None:
    """Refusal of weights with zero points, by kernels for symmetric weights."""
    zero_point = weights_zero_point(node["weights"])
    return Refused(f"weights have zero point {zero_point}, not 0") if zero_point else None


def scales(node: NodeView) -> NDArray[np.float64]:
    """x.scale * weights.scale / y.scale, of each channel or of all."""
    quantization = node["weights"].quantization
    assert quantization is not None
    return double_product(node["x"].scale, quantization.scales, node["y"].scale)


def operand_problems(node: NodeView) -> Iterator[str]:
    """Sentences about quantisation or a bias that does not fit the op or its channels."""
    yield from per_tensor_problems(node, "x", "y")
    quantization, channels = node["weights"].quantization, node["weights"].shape[0]
    if quantization is None or len(quantization.scales) not in (1, channels):
        yield f"weights must have 1 or {channels} scales"
    elif quantization.per_channel and quantization.axis != 0:
        yield "weights must be quantised along axis 0"
    elif quantization.per_channel and any(quantization.zero_points):
        yield "weights quantised along an axis must have zero points 0"
    yield from bias_problems(node)


def _window(node: NodeView) -> Geometry:
    """Geometry with rows as images of one pixel, and weights as filters of one tap."""
    depth = node["weights"].shape[1]
    ones = {field.name: 1 for field in fields(Geometry)}
    sizes = {"batches": node["x"].elements // depth, "input_channels": depth}
    return Geometry(**{**ones, **sizes, "padding_top": 0, "padding_left": 0})


def _fixed_point(node: NodeView) -> FixedPoint:
    """TensorFlow Lite Micro's rescaling of int8 sums."""
    ratios = np.broadcast_to(scales(node), node["weights"].shape[0])
    multipliers, shifts = quantize_multipliers(ratios)
    return FixedPoint(multipliers.tobytes(), shifts.tobytes())


_RESCALINGS: Mapping[Numerics, Callable[[NodeView], OfBytes]] = {
    Numerics.REFERENCE: lambda node: Scales(scales(node).tobytes()),
    Numerics.NOTEBOOK: partial(singles, weights="weights"),
    Numerics.TFLM: _fixed_point,
}
MATMUL = Layer(
    weights="weights",
    type_variable="W",
    axis=0,
    by_channel=lambda node: node["weights"].data[:, np.newaxis, np.newaxis],
    groups=lambda node: 1,
    window=_window,
    rescaling=lambda node: _RESCALINGS[node.numerics](node),
    widths=lambda node, rows: requantization(node, rows, scales(node)),
    facts={
        **ELEMENT_FACTS,
        "rows": lambda node: node["x"].elements // node["weights"].shape[1],
        "depth": lambda node: node["weights"].shape[1],
        "channels": lambda node: node["weights"].shape[0],
        "per_channel": lambda node: len(scales(node)) > 1,
        "weights": lambda node: node["weights"].data,
        "scale": scales,
        "factor": lambda node: singles(node, "weights").factors,
        "multiplier": lambda node: _fixed_point(node).constants[0].astype(np.int32),
        "shift": lambda node: _fixed_point(node).constants[1].astype(np.int8),
        "weights_zero_point": lambda node: weights_zero_point(node["weights"]),
    },
    rounds=False,
)
