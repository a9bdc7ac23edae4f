"""MeanRows: the mean over all pixels of an image whose rows come one after the other.

Models that stream have this op in place of MEAN along height and width: each run adds one row to
sums, which are kept instead of rows; after the last row y is the mean, and the next row begins a
new image. Until then, y is the mean of an image whose missing rows are zero.
"""

from opsmith.op import *
from runtimes.core.accumulator import LIMIT, overflow_problems
from runtimes.core.fixed_point import multiply_by_quantized_multiplier
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.reduction import mean_scaling

MOST_PIXELS = LIMIT // 255  # of whose sum MEAN says that it fits, too


@dataclass(frozen=True)
class Params:
    """Sizes of a row, rows of an image, and the constants that make a mean of a sum."""

    pixels: int
    channels: int
    rows: int
    zero_point: int
    output_zero_point: int
    multiplier: int  # Q31: x.scale / y.scale / pixels of the image
    shift: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: [1, 1, 1, channels of x]."""
    x, rows = node["x"], node.attributes["rows"]
    if len(x.shape) != 4 or x.shape[:2] != (1, 1):
        raise OpError(f"x {x.type} must be one row of one image")
    if not 0 < rows * x.shape[2] <= MOST_PIXELS:
        raise OpError(f"an image of {rows} rows of {x.shape[2]} pixels cannot be")
    return [TensorType(x.dtype, (1, 1, 1, x.shape[3]))]


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisation that this arithmetic cannot take."""
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if not problems:
        low, high = node["x"].dtype.limits
        bound = np.array([_pixels(node) * (high - low)])
        yield from overflow_problems(bound, mean_scaling(node, _pixels(node))[1])


def _pixels(node: NodeView) -> int:
    return int(node.attributes["rows"] * node["x"].shape[2])


def params(node: NodeView) -> Params:
    """Geometry and scaling of a node."""
    x, (multiplier, shift) = node["x"], mean_scaling(node, _pixels(node))
    (*_, pixels, channels), rows = x.shape, node.attributes["rows"]
    zero_points = x.zero_point, node["y"].zero_point
    return Params(pixels, channels, rows, *zero_points, multiplier, shift)


def evaluate(node: NodeView, inputs: Sequence[Array], state: States) -> Sequence[Array]:
    """Mean in numpy; the state is the sums, and the number of rows in them."""
    p, x = params(node), inputs[0][0, 0].astype(np.int64)
    if state["rows"][0] == p.rows:
        state["rows"][0], state["sums"][:] = 0, 0
    state["rows"][0] += 1
    state["sums"] += (x - p.zero_point).sum(axis=0).astype(np.int32)
    scaled = multiply_by_quantized_multiplier(state["sums"].astype(np.int64), p.multiplier, p.shift)
    means = np.clip(scaled + p.output_zero_point, *i8.limits)
    return [means.astype(np.int8).reshape(node["y"].shape)]


OP = Op(
    name="mean_rows",
    legalize=(Rename("tflite.CUSTOM.OpsmithMeanRows", options=flexbuffer),),
    inputs=(Input("x", "T"),),
    attributes=(Attribute("rows", int),),
    states=(
        State("sums", i32, lambda node: node["y"].elements),
        State("rows", i32, lambda node: 1),
    ),
    infer=infer,
    check=check,
    variants=(Variant({"T": i8}, (reference(params),), evaluate=evaluate),),
    examples=(Example.of({"rows": 2}, x=(1, 1, 6, 4)),),
)
