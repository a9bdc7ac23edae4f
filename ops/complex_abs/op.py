"""ComplexAbs: magnitudes of complex numbers, which are pairs of a real and an imaginary part.

Computed like glibc's hypotf: squares, their sum and its root in double precision, then rounded.
"""

from opsmith.op import *


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: x without the axis of pairs."""
    x = node["x"]
    if x.shape[-1:] != (2,):
        raise OpError(f"x {x.type} has no pairs")
    return [TensorType(x.dtype, x.shape[:-1])]


def check(node: NodeView) -> Iterator[str]:
    """Problem of a model file that has no complex numbers."""
    if not node.attributes["pairs"]:
        yield "x is not complex64"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Magnitudes in numpy."""
    wide = inputs[0].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        root = np.sqrt(wide[..., 0] ** 2 + wide[..., 1] ** 2).astype(np.float32)
    return [np.where(np.isinf(wide).any(axis=-1), np.float32(np.inf), root)]


KERNEL = reference(
    by_name(Elements, elements=lambda node: node["y"].elements),
    overlap={"x": Distance(forward=0)},  # a pair is read before its magnitude is written
    cost=per_element(620.0),
)
OP = Op(
    "complex_abs",
    legalize=(Rename("tflite.COMPLEX_ABS"),),
    inputs=(Input("x", f32),),
    outputs=(Output("y", f32),),
    attributes=(Attribute("pairs", bool, default=False),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    variants=(Variant({}, (KERNEL,)),),
    examples=(Example.of({"pairs": True}, x=(7, 2)),),
)
