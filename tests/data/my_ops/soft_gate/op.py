"""SoftGate: x times itself plus an offset, the latter kept within 0 and 6.

Made of two shipped ops where they can be, unless a kernel of its own is better.
"""

from opsmith.op import *


@dataclass(frozen=True)
class Params:
    """Elements, and what is added to them before they are clamped."""

    elements: int
    offset: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as x."""
    return [node["x"].type]


def params(node: NodeView) -> Params:
    """The elements and the offset."""
    return Params(node["x"].elements, node.attributes["offset"])


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The product in numpy. Integers wrap."""
    x = inputs[0]
    return [x * np.clip(x + np.int32(node.attributes["offset"]), 0, 6).astype(np.int32)]


def into(node: NodeView, builder: GraphBuilder) -> None:
    """add, which clamps in passing, and mul."""
    x = node["x"]
    offset = np.array([node.attributes["offset"]], np.int32)
    moved = builder.tensor("moved", i32, x.shape)
    builder.node(
        "add", [x, builder.tensor("offset", i32, (1,), data=offset)], [moved], activation="RELU6"
    )
    builder.node("mul", [x, moved], [node["y"]])


DSP = Kernel("dsp", Params, every_node(params), requires={"dsp"}, over_composite=True)
REFERENCE = reference(params)
OP = Op(
    name="soft_gate",
    legalize=(Rename("tflite.CUSTOM.SoftGate", options=flexbuffer),),
    inputs=(Input("x", i32),),
    outputs=(Output("y", i32),),
    attributes=(Attribute("offset", int, default=3),),
    infer=infer,
    evaluate=evaluate,
    decompose=Decompose(into, when=lambda node: node.attributes["offset"] != 0),
    examples=(Example({"x": ExampleTensor(i32, (8,)), "y": ExampleTensor(i32, (8,))}),),
    variants=(Variant({}, (DSP, REFERENCE)),),
)
