"""Real div: the quotient of two int8 tensors in float32, rounded once to even.

ONNX's Div divides the values of elements, and quantises by a division. ExecuTorch's divides
elements, multiplies by one float32 factor, and gives 0 for a divisor of zero
(backends/cortex_m/ops/operators.py, quantized_div).
"""

from opsmith.op import *
from opsmith.op.clamp import bounds
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.binary import activated, example, zero_points
from runtimes.families.broadcast import Pairs, pairs

FAR = 512  # steps beyond which every element is an end


@dataclass(frozen=True, kw_only=True)
class RealQuotients(Pairs):
    """Walk through quantised pairs that broadcast, scales as float32, and bounds of y."""

    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    a_scale: float
    b_scale: float
    y_scale: float  # a divisor, or the factor of quotients of elements
    of_elements: bool
    activation_min: int
    activation_max: int


def params(node: NodeView) -> RealQuotients:
    """Walk, scales and bounds of a node."""
    a, b, y = (float(node[name].scale) for name in "aby")
    if of_elements := bool(node.attributes["of_elements"]):
        a, b, y = 1.0, 1.0, float(np.float32(a / (b * y)))
    scales: dict[str, Any] = {"a_scale": a, "b_scale": b, "y_scale": y}
    return RealQuotients(
        **vars(pairs(node)), **zero_points(node), **scales, **bounds(node), of_elements=of_elements
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Quotients in numpy; the least element for 0 / 0 of ONNX."""
    p = params(node)
    a = (inputs[0].astype(np.int32) - p.a_zero_point).astype(np.float32) * np.float32(p.a_scale)
    b = (inputs[1].astype(np.int32) - p.b_zero_point).astype(np.float32) * np.float32(p.b_scale)
    with np.errstate(all="ignore"):
        steps: Array = a / b
        if p.of_elements:
            steps = np.where(b == 0, np.float32(0), steps) * np.float32(p.y_scale)
        else:
            steps = steps / np.float32(p.y_scale)
    y = np.rint(np.clip(np.nan_to_num(steps, nan=-FAR), -FAR, FAR)) + p.y_zero_point
    return [np.clip(y, p.activation_min, p.activation_max).astype(np.int8)]


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisation, and of a factor beyond float32."""
    yield from (problems := list(per_tensor_problems(node, "a", "b", "y")))
    if not problems and node.attributes["of_elements"]:
        factor = node["a"].scale / (node["b"].scale * node["y"].scale)
        if not factor <= float(np.finfo(np.float32).max):
            yield "a.scale / (b.scale * y.scale) is too large"


def options(data: bytes) -> Mapping[str, Any]:
    """The name of an activation; ExecuTorch's begins with '/'."""
    name = data.decode("ascii", "replace")
    kind = {"of_elements": True} if name.startswith("/") else {}
    return {"fused_activation_function": name.lstrip("/") or "NONE", **kind}


OP = activated(
    "real_div",
    Rename("tflite.CUSTOM.OpsmithDiv", options=options),
    (
        Variant(
            {"T": i8},
            (reference(params, numerics=ANY_RULE, cost=per_element(100.0)),),
            check=check,
            evaluate=evaluate,
            examples=(example(i8, (4, 5), (4, 5)), example(i8)),
            numerics=dict.fromkeys(OTHER_RULES, lambda node: ""),
        ),
    ),
    attributes=(Attribute("of_elements", bool, default=False),),
)
