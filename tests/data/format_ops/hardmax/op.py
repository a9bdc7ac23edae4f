"""Hardmax: 1 for the first greatest element along an axis, and 0 for all others."""

from opsmith.op import *


@dataclass(frozen=True)
class Params:
    """Sizes before, of and after the axis."""

    outer: int
    count: int
    inner: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as x."""
    return [node["x"].type]


def check(node: NodeView) -> Iterator[str]:
    """The axis has to exist."""
    rank = len(node["x"].shape)
    if not -rank <= node.attributes["axis"] < rank:
        yield f"axis {node.attributes['axis']} of {rank}"


def params(node: NodeView) -> Params:
    """Sizes around the axis."""
    shape = node["x"].shape
    axis = node.attributes["axis"] % len(shape)
    return Params(math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :]))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The ones and zeros in numpy."""
    (x,), axis = inputs, node.attributes["axis"]
    y = np.zeros_like(x)
    np.put_along_axis(y, np.argmax(x, axis, keepdims=True), 1, axis)
    return [y]


OP = Op(
    name="hardmax",
    legalize=(Rename("onnx.Hardmax"), Rename("tflite.CUSTOM.Hardmax", options=flexbuffer)),
    inputs=(Input("x", f32),),
    outputs=(Output("y", f32),),
    attributes=(Attribute("axis", int, default=-1),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    examples=(Example.of({"axis": 1}, x=(2, 3, 2)),),
    variants=of_types({}, reference(params)),
)
