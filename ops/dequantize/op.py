"""Dequantize: the float32 values of quantised elements."""

from opsmith.op import *
from opsmith.runtimes.core.per_tensor import per_tensor_problems
from opsmith.runtimes.families.params import by_name
from opsmith.runtimes.families.unary import unary


@dataclass(frozen=True)
class DequantizeParams:
    """Elements, and the quantisation of x."""

    elements: int
    x_zero_point: int
    x_scale: float  # a float32


quantization = by_name(DequantizeParams)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The values in numpy."""
    p = quantization(node)
    lifted = (inputs[0].astype(np.int32) - p.x_zero_point).astype(np.float32)
    with np.errstate(over="ignore"):
        return [np.float32(p.x_scale) * lifted]


KERNEL = Kernel("reference", DequantizeParams, every_node(quantization))


def of_type(dtype: DType) -> Variant:
    """The variant of these elements."""
    x = ExampleTensor(dtype, (200,), scale=0.0123)
    return Variant(
        {"T": dtype},
        (KERNEL,),
        examples=(Example({"x": x, "y": ExampleTensor(f32, (200,))}),),
    )


OP = unary(
    "dequantize",
    Rename("tflite.DEQUANTIZE", versions=range(1, 10)),
    variants=tuple(map(of_type, (i8, u8, i16))),
    y=f32,
    check=lambda node: per_tensor_problems(node, "x"),
    evaluate=evaluate,
)
