"""ReduceWindow: a reduction of the elements in each window of x, one after the other."""

from opsmith.op import *
from runtimes.families.axes import per_axis, strides
from runtimes.families.movement import X
from runtimes.families.stablehlo import REDUCTIONS, Windows, reduced, reduction_problems
from runtimes.families.walk import Eight, padded

MOST_AXES = 6  # of x, in LiteRT
WINDOW = ("window_shape", "window_strides", "window_dilations")


@dataclass(frozen=True)
class Params:
    """Sizes and steps of windows, with leading axes of one position, and the reduction."""

    size: Eight  # of y
    step: Eight  # elements of x from one window to the next
    window: Eight  # positions of a window
    inner: Eight  # elements of x from one of them to the next
    reduction: int  # its number among REDUCTIONS


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: an element for each window."""
    x = node["x"]
    if node["first"].elements != 1:
        raise OpError(f"first {node['first'].type} must be one element")
    return [TensorType(x.dtype, tuple(axis.count for axis in axes(node)))]


def axes(node: NodeView) -> list[Windows]:
    """Windows along each axis."""
    given = [per_axis(node, name) for name in WINDOW]
    for name, numbers in zip(WINDOW, given, strict=True):
        if min(numbers) < 1:
            raise OpError(f"{name} is {numbers}, which must be above 0")
    return [Windows(*each) for each in zip(node["x"].shape, *given, strict=True)]


def check(node: NodeView) -> Iterator[str]:
    """Problems of reductions that LiteRT does not compute for booleans."""
    yield from reduction_problems(node["x"], node.attributes["reduce_function"])


def params(node: NodeView) -> Params:
    """Sizes, steps and reduction of a node."""
    pairs = [*zip(axes(node), strides(node["x"].shape), strict=True)]
    return Params(
        padded(node["y"].shape),
        padded([step * axis.stride for axis, step in pairs]),
        padded([axis.window for axis, _ in pairs]),
        padded([step * axis.dilation for axis, step in pairs]),
        [*REDUCTIONS].index(node.attributes["reduce_function"]),
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Reductions of windows, in numpy."""
    return [reduced(node.attributes["reduce_function"], axes(node), *inputs[:2])]


def cost(node: NodeView) -> float:
    """Instructions: for each element of each window; fewer where the compiler unrolls loops."""
    window, function = per_axis(node, "window_shape"), node.attributes["reduce_function"]
    if function in ("ADD", "MUL") and node["x"].dtype != i64:
        each = 3.6 if max(window) <= 3 else 6.0
    else:
        each = 6.2 if max(window) <= 2 else 9.3
    return each * math.prod(window) * node["y"].elements


EXAMPLE = Example.of(x=(4, 3), first=(), **{name: [2, 1] for name in WINDOW})
OP = Op(
    "reduce_window",
    legalize=(Rename("tflite.REDUCE_WINDOW"),),
    inputs=(
        replace(X, rank=range(1, MOST_AXES + 1)),
        Input("first", "T"),
        *(Input(name, i64, constant=True) for name in WINDOW),
    ),
    attributes=(Attribute("reduce_function", str, default="MAXIMUM", choices=(*REDUCTIONS,)),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    variants=of_types(
        {"T": (boolean, i8, i16, i32, i64, u8, f32)},
        reference(params, cost=cost),
        examples=(EXAMPLE,),
    ),
)
