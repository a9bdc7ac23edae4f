"""Bounded: elements kept within two constants, found where a model says minimum(maximum(x))."""

from opsmith.op import *


@dataclass(frozen=True)
class Params:
    """Elements and their bounds."""

    elements: int
    low: int
    high: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as x."""
    return [node["x"].type]


def check(node: NodeView) -> Iterator[str]:
    """Which one wins where they cross would depend on the order."""
    if node.attributes["low"] > node.attributes["high"]:
        yield "low is above high"


def params(node: NodeView) -> Params:
    """The elements and the bounds."""
    return Params(node["x"].elements, node.attributes["low"], node.attributes["high"])


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The bounded elements in numpy."""
    return [np.clip(inputs[0], node.attributes["low"], node.attributes["high"])]


def find(node: NodeView, graph: GraphReader) -> Matched | None:
    """minimum(maximum(x, low), high) with one constant each, on either side."""
    if (outer := _variable_and_constant(node)) is None:
        return None
    inner_node = graph.producer(outer[0], "maximum")
    inner = None if inner_node is None else _variable_and_constant(inner_node)
    if inner_node is None or inner is None:
        return None
    return Matched(
        nodes=(inner_node.name, node.name),
        inputs={"x": inner[0].id},
        outputs={"y": node["y"].id},
        attributes={"low": inner[1], "high": outer[1]},
    )


def _variable_and_constant(node: NodeView) -> tuple[Tensor, int] | None:
    for one, other in (("a", "b"), ("b", "a")):
        x, bound = node[one], node[other]
        if x.constant is None and bound.constant is not None and bound.elements == 1:
            return x, int(bound.data.reshape(-1)[0])
    return None


REFERENCE = reference(params)
OP = Op(
    name="bounded",
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    attributes=(Attribute("low", int), Attribute("high", int)),
    infer=infer,
    check=check,
    evaluate=evaluate,
    match=Match("minimum", find),
    examples=(
        Example(
            {"x": ExampleTensor(i8, (8,)), "y": ExampleTensor(i8, (8,))}, {"low": -1, "high": 3}
        ),
    ),
    variants=of_types({"T": (i8, i16)}, REFERENCE),
)
