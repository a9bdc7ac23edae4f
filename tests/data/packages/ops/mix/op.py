"""Mix: three times every element and 5, saturated, by a library."""

from opsmith.op import *


@dataclass(frozen=True)
class Params:
    """How many elements there are."""

    elements: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as x."""
    return [node["x"].type]


def params(node: NodeView) -> Params:
    """The number of elements."""
    return Params(node["x"].elements)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Elements of y in numpy."""
    return [np.clip(inputs[0].astype(np.int32) * 3 + 5, -128, 127).astype(np.int8)]


X = ExampleTensor(i8, (2, 3), scale=0.5)
OP = Op(
    name="mix",
    legalize=(Rename("tflite.CUSTOM.Mix"),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    infer=infer,
    evaluate=evaluate,
    examples=(Example({"x": X, "y": X}, {}),),
    requires=("fastmath/[>=1.2 <2]",),
    variants=(Variant({"T": i8}, (reference(params),)),),
)
