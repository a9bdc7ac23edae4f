"""Maximum: the larger of two elements, as the tests of the harness break it."""

from opsmith.op import *


@dataclass(frozen=True)
class Params:
    """How many elements there are."""

    elements: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as a."""
    return [node["a"].type]


def params(node: NodeView) -> Params:
    """The elements of y."""
    return Params(node["y"].elements)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The larger elements in numpy."""
    return [np.maximum(inputs[0], inputs[1])]


KERNEL = reference(params)
OP = Op(
    name="maximum",
    legalize=(Rename("tflite.MAXIMUM", versions=range(1, 5)),),
    inputs=(Input("a", "T"), Input("b", "T")),
    outputs=(Output("y", "T"),),
    traits={"elementwise"},
    infer=infer,
    evaluate=evaluate,
    variants=of_types({"T": (i8, i32, f32)}, KERNEL),
)
