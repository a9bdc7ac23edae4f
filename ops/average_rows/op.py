"""AverageRows: the mean over windows of the rows of an image that come one after the other.

Models that stream have this op in place of AVERAGE_POOL_2D: each run takes one row, and y is the
mean over all rows since the window began; after the last of `window_height` rows y is the mean of
the window, and the next row begins a new window. Sums are kept instead of rows.
"""

from opsmith.op import *
from runtimes.families.pooling import MAX_WINDOW, pool_problems
from runtimes.families.window import PADDINGS, output_size, padding_before


@dataclass(frozen=True)
class Params:
    """Windows over a row, and bounds of y. Sizes in pixels and channels."""

    input_width: int
    channels: int
    window_height: int
    window_width: int
    output_width: int
    stride_width: int
    padding_left: int
    activation_min: int
    activation_max: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: [1, 1, output_width, channels of x]."""
    x, a = node["x"], node.attributes
    if len(x.shape) != 4 or x.shape[:2] != (1, 1):
        raise OpError(f"x {x.type} must be one row of one image")
    width = output_size(a["padding"], x.shape[2], a["window_width"], a["stride_width"])
    if not 0 < a["window_height"] * a["window_width"] <= MAX_WINDOW:
        raise OpError(f"a window of {a['window_height']}x{a['window_width']} cannot be")
    return [TensorType(x.dtype, (1, 1, width, x.shape[3]))]


def params(node: NodeView) -> Params:
    """Geometry and bounds of a node."""
    x, y, a = node["x"], node["y"], node.attributes
    size, window, stride = x.shape[2], a["window_width"], a["stride_width"]
    left = padding_before(a["padding"], size, window, stride, 1, y.shape[2])
    low, high = clamp_range(node)
    return Params(size, x.shape[3], a["window_height"], window, y.shape[2], stride, left, low, high)


def evaluate(node: NodeView, inputs: Sequence[Array], state: States) -> Sequence[Array]:
    """Mean in numpy; the state is the sums, and the number of rows in them."""
    p, x = params(node), inputs[0][0, 0].astype(np.int64)
    if state["rows"][0] == p.window_height:
        state["rows"][0], state["sums"][:] = 0, 0
    state["rows"][0] += 1
    first = np.arange(p.output_width) * p.stride_width - p.padding_left
    begin, end = np.maximum(first, 0), np.minimum(first + p.window_width, p.input_width)
    until = np.concatenate([np.zeros((1, p.channels), np.int64), x.cumsum(axis=0)])
    state["sums"] += (until[end] - until[begin]).reshape(-1).astype(np.int32)
    sums = state["sums"].reshape(p.output_width, p.channels).astype(np.int64)
    counts = (end - begin)[:, np.newaxis] * int(state["rows"][0])
    means = np.sign(sums) * ((np.abs(sums) + counts // 2) // counts)
    clamped = np.clip(means, p.activation_min, p.activation_max).astype(np.int8)
    return [clamped.reshape(node["y"].shape)]


OP = Op(
    name="average_rows",
    legalize=(Rename("tflite.CUSTOM.OpsmithAverageRows", options=flexbuffer),),
    inputs=(Input("x", "T"),),
    attributes=(
        Attribute("padding", str, default="VALID", choices=PADDINGS),
        Attribute("window_height", int),
        Attribute("window_width", int),
        Attribute("stride_width", int),
        *CLAMP_ATTRIBUTES,
    ),
    states=(
        State("sums", i32, lambda node: node["y"].elements),
        State("rows", i32, lambda node: 1),
    ),
    infer=infer,
    check=pool_problems,
    variants=(Variant({"T": i8}, (reference(params),), evaluate=evaluate),),
    examples=(
        Example.of({"window_height": 2, "window_width": 2, "stride_width": 2}, x=(1, 1, 6, 4)),
    ),
)
