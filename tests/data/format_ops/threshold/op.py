"""Threshold: elements above a threshold, and a value in the place of all others, as torch has it.

It takes the place of what the front end makes of ONNX's ThresholdedRelu.
"""

from opsmith.op import *


@dataclass(frozen=True)
class Params:
    """Elements, the threshold and the value."""

    elements: int
    threshold: float
    value: float


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as x."""
    return [node["x"].type]


def params(node: NodeView) -> Params:
    """Elements, the threshold and the value."""
    return Params(node["x"].elements, node.attributes["threshold"], node.attributes["value"])


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The elements in numpy."""
    threshold, value = (np.float32(node.attributes[each]) for each in ("threshold", "value"))
    return [np.where(inputs[0] <= threshold, value, inputs[0])]


OP = Op(
    name="threshold",
    legalize=(
        Rename("aten.threshold"),
        Rename(
            "onnx.ThresholdedRelu",
            attributes={"alpha": "threshold"},
            overrides="onnx",
            reason="one node in the place of several",
        ),
        Rename("tflite.CUSTOM.Threshold", options=flexbuffer),
    ),
    inputs=(Input("x", f32),),
    outputs=(Output("y", f32),),
    attributes=(
        Attribute("threshold", float, default=1.0),
        Attribute("value", float, default=0.0),
    ),
    infer=infer,
    evaluate=evaluate,
    examples=(Example.of({"threshold": 0.5}, x=(2, 3)),),
    variants=of_types({}, reference(params)),
)
