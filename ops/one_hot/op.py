"""OneHot: a row along a new axis for every index, with one value there and another elsewhere."""

from opsmith.op import *
from runtimes.families.argument import AxisSplit
from runtimes.families.axes import new_axis_of


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: the shape of the indices with the new axis."""
    x, depth = node["x"].shape, node["depth"]
    if depth.elements != 1:
        raise OpError(f"depth {depth.type} must be one number")
    if (size := int(depth.data.reshape(-1)[0])) < 1:
        raise OpError(f"depth is {size}, which must be above 0")
    axis = _axis(node)
    return [TensorType(node["on"].dtype, (*x[:axis], size, *x[axis:]))]


def _axis(node: NodeView) -> int:
    given = node.attributes["axis"]
    if given < -1:  # LiteRT counts no others from the last
        raise OpError(f"axis {given} is below -1")
    return new_axis_of(given, node["x"])


def check(node: NodeView) -> Iterator[str]:
    """Problems of values that are not one element. LiteRT copies their bytes, however quantised."""
    for name in ("on", "off"):
        if node[name].elements != 1:
            yield f"{name} {node[name].type} must be one number"


def limits(node: NodeView) -> tuple[int, int]:
    """Least and greatest index with a position along the new axis; rows of others are off."""
    return 0, params(node).depth - 1


def params(node: NodeView) -> AxisSplit:
    """Sizes before the new axis, along it and after it."""
    y, axis = node["y"].shape, _axis(node)
    return AxisSplit(math.prod(y[:axis]), y[axis], math.prod(y[axis + 1 :]))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Rows in numpy. LiteRT takes the lower 32 bits of an int64 index."""
    x, _, on, off = inputs
    p = params(node)
    indices = x.astype(np.int32).reshape(p.outer, 1, p.inner)
    hot = indices == np.arange(p.depth).reshape(1, -1, 1)
    return [np.where(hot, on.reshape(-1)[0], off.reshape(-1)[0]).reshape(node["y"].shape)]


OP = Op(
    "one_hot",
    inputs=(
        Input("x", "I", limits=limits),
        Input("depth", i32, constant=True),
        Input("on", "T"),
        Input("off", "T"),
    ),
    infer=infer,
    variants=of_types(
        {"I": (i32, i64), "T": (boolean, i8, u8, i32, i64, f32)},
        reference(params),
        examples=(Example.of({"axis": -1}, x=(2, 3), depth=5, on=(), off=(), y=(2, 3, 5)),),
    ),
    legalize=(Rename("tflite.ONE_HOT"),),
    attributes=(Attribute("axis", int, default=0),),
    check=check,
    evaluate=evaluate,
)
