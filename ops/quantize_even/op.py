"""Quantize even: float32 to elements of int8, halves to even, as ONNX and PyTorch quantise."""

from opsmith.op import *
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.unary import unary


@dataclass(frozen=True)
class EvenQuantization:
    """Number of elements, and the quantisation of y."""

    elements: int
    y_zero_point: int
    y_scale: float  # a float32: a divisor, or where x is multiplied 1 / scale
    multiplied: bool
    least: float  # element less the zero point
    most: float


def quantization(node: NodeView) -> EvenQuantization:
    """Number of elements and quantisation of a node."""
    multiplied, y = node.attributes["multiplied"], node["y"]
    scale = float(np.float32(1 / y.scale)) if multiplied else y.scale
    ends = (float(end - y.zero_point) for end in y.dtype.limits)
    return EvenQuantization(node["x"].elements, y.zero_point, scale, multiplied, *ends)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Nearest elements in numpy; the least for NaN."""
    p, x = quantization(node), inputs[0]
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        scaled = x * np.float32(p.y_scale) if p.multiplied else x / np.float32(p.y_scale)
    steps = np.rint(np.clip(np.nan_to_num(scaled, nan=-np.inf), p.least, p.most))
    return [(steps + p.y_zero_point).astype(np.int8)]


def check(node: NodeView) -> Iterator[str]:
    """Problems of a scale of y whose reciprocal is too large."""
    yield from (problems := list(per_tensor_problems(node, "y")))
    multiplied = not problems and node.attributes["multiplied"]
    if multiplied and 1 / node["y"].scale > float(np.finfo(np.float32).max):
        yield "y.scale is so small that its reciprocal is no float32"


OP = unary(
    "quantize_even",
    Rename(
        "tflite.CUSTOM.OpsmithQuantize", options=lambda data: {"multiplied": data == b"multiplied"}
    ),
    variants=(
        Variant(
            {"T": f32, "U": i8},
            (reference(quantization, cost=per_element(40.0)),),
            check=check,
            evaluate=evaluate,
            examples=(Example.of(x=(200,)),),
        ),
    ),
    attributes=(Attribute("multiplied", bool, default=False),),  # by the reciprocal of the scale
    y="U",
)
