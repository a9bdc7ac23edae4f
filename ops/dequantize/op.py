"""Dequantize: the float32 values of quantised elements."""

from opsmith.op import *
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.unary import unary


@dataclass(frozen=True)
class DequantizeParams:
    """Number of elements, and the quantisation of x."""

    elements: int
    x_zero_point: int
    x_scale: float  # a float32


quantization = by_name(DequantizeParams)
BLOCK = 8  # elements that LiteRT's optimised kernel computes together


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """float32 values of elements, in numpy."""
    p = quantization(node)
    lifted = (inputs[0].astype(np.int32) - p.x_zero_point).astype(np.float32)
    with np.errstate(over="ignore"):
        return [np.float32(p.x_scale) * lifted]


def optimised(node: NodeView) -> str | None:
    """Rule for int8 constants, converted by LiteRT's optimised kernel; XNNPACK converts others."""
    x = node["x"]
    return "" if x.constant is not None and x.zero_point != 0 else None


def evaluate_int8(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """float32 values of int8 elements, in numpy.

    By the notebook's rule, as optimized_ops::Dequantize computes: the scaled zero point is
    subtracted from eight scaled elements at a time; the elements left lose their zero point before
    scaling.
    """
    (y,) = evaluate(node, inputs)
    if node.numerics == Numerics.NOTEBOOK:
        p, whole = quantization(node), y.size // BLOCK * BLOCK
        scale = np.float32(p.x_scale)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = inputs[0].reshape(-1)[:whole].astype(np.float32) * scale
            y.reshape(-1)[:whole] = scaled + np.float32(-p.x_zero_point) * scale
    return [y]


KERNEL = reference(quantization, cost=per_element(8.0))
EXAMPLES = (Example.of(x=(200,)),)
NOTEBOOK = {Numerics.NOTEBOOK: optimised}
OP = unary(
    "dequantize",
    Rename("tflite.DEQUANTIZE", versions=range(1, 10)),
    variants=(
        Variant({"T": i8}, (KERNEL,), numerics=NOTEBOOK, evaluate=evaluate_int8, examples=EXAMPLES),
        *of_types({"T": (u8, i16)}, KERNEL, examples=EXAMPLES),
    ),
    y=f32,
    check=lambda node: per_tensor_problems(node, "x"),
    evaluate=evaluate,
)
