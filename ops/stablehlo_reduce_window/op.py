"""StablehloReduceWindow: a reduction of the elements in each window of x, which has borders first.

Borders, and elements between x's own, are the first element, with which each reduction begins.
"""

from opsmith.op import *
from runtimes.families.movement import X
from runtimes.families.spread import SpreadAxis, spread_out
from runtimes.families.stablehlo import Windows, bordered, reduced, reduction_problems

MOST_AXES = 6  # of x, in LiteRT
LISTS = ("window_dimensions", "window_strides", "base_dilations", "window_dilations")
REDUCTION = {  # operator of the function -> name of the reduction
    "ADD": "ADD",
    "MUL": "MUL",
    "MINIMUM": "MINIMUM",
    "MAXIMUM": "MAXIMUM",
    "LOGICAL_AND": "ALL",
    "LOGICAL_OR": "ANY",
    "STABLEHLO_ADD": "ADD",
    "STABLEHLO_MULTIPLY": "MUL",
    "STABLEHLO_MINIMUM": "MINIMUM",
    "STABLEHLO_MAXIMUM": "MAXIMUM",
}


def numbers(node: NodeView, name: str) -> tuple[int, ...]:
    """Attribute with one number per axis of x; ones where the node lacks the attribute."""
    x, given = node["x"], node.attributes[name]
    found: tuple[int, ...] = given or (1,) * len(x.shape)
    if len(found) != len(x.shape) or min(found) < 1:
        raise OpError(f"{name} {found} must have one number above 0 per axis of x {x.type}")
    return found


def borders(node: NodeView) -> list[SpreadAxis]:
    """Geometry of x with its borders, axis by axis, before windows are taken."""
    x, given = node["x"], node.attributes["padding"]
    inner = numbers(node, "base_dilations")
    given = given or (0, 0) * len(inner)
    if len(given) != 2 * len(inner):
        raise OpError(f"padding {given} must have two numbers per axis of x {x.type}")
    sizes = zip(x.shape, given[::2], given[1::2], inner, strict=True)
    return [bordered(size, low, high, step - 1) for size, low, high, step in sizes]


def axes(node: NodeView) -> list[Windows]:
    """Windows along each axis."""
    given = (numbers(node, name) for name in LISTS if name != "base_dilations")
    sizes = [axis.size for axis in borders(node)]
    return [Windows(*each) for each in zip(sizes, *given, strict=True)]


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: an element for each window."""
    if node["first"].elements != 1:
        raise OpError(f"first {node['first'].type} must be one element")
    return [TensorType(node["x"].dtype, tuple(axis.count for axis in axes(node)))]


def check(node: NodeView) -> Iterator[str]:
    """Problems of reductions that LiteRT does not compute for booleans."""
    yield from reduction_problems(node["x"], REDUCTION[node.attributes["function"]])


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Reductions of windows, in numpy."""
    x, first = inputs
    reduction = REDUCTION[node.attributes["function"]]
    return [reduced(reduction, axes(node), spread_out(borders(node), x, first), first)]


def into(node: NodeView, builder: GraphBuilder) -> None:
    """Add nodes that make the borders, if any, and reduce windows."""
    x, first, around = node["x"], node["first"], borders(node)
    if any(axis != SpreadAxis(size, size) for axis, size in zip(around, x.shape, strict=True)):
        sizes = tuple(axis.size for axis in around)
        whole = builder.tensor("whole", x.dtype, sizes, x.quantization)
        builder.node("stablehlo_pad", [x, first], [whole], **_border(node))
        x = whole
    constants = [
        builder.tensor(name, i64, (len(x.shape),), data=np.array(numbers(node, name)))
        for name in LISTS
        if name != "base_dilations"
    ]
    reduction = REDUCTION[node.attributes["function"]]
    builder.node("reduce_window", [x, first, *constants], [node["y"]], reduce_function=reduction)


def _border(node: NodeView) -> dict[str, tuple[int, ...]]:
    """Attributes of the pad that makes the borders."""
    inner = tuple(each - 1 for each in numbers(node, "base_dilations"))
    given = node.attributes["padding"] or (0, 0) * len(inner)
    return {
        "edge_padding_low": given[::2],
        "edge_padding_high": given[1::2],
        "interior_padding": inner,
    }


OP = Op(
    "stablehlo_reduce_window",
    legalize=(Rename("tflite.STABLEHLO_REDUCE_WINDOW"),),
    inputs=(replace(X, rank=range(1, MOST_AXES + 1)), Input("first", "T")),
    attributes=(
        *(Attribute(name, ListOf(int), default=()) for name in (*LISTS, "padding")),
        Attribute("function", str, choices=(*REDUCTION,)),
    ),
    infer=infer,
    check=check,
    evaluate=evaluate,
    decompose=Decompose(into, required=True),
    examples=(
        Example.of(
            {"function": "LOGICAL_OR", "window_dimensions": (1, 2), "padding": (0, 0, 1, 0)},
            x=(2, 3),
            first=(),
        ),
    ),
    variants=of_types({"T": (boolean, i8, i16, i32, i64, u8, f32)}),
)
