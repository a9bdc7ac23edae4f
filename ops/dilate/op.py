"""Dilate: the elements of x with as many others between neighbours as each axis says, less one."""

from opsmith.op import *
from opsmith.runtimes.families.axes import per_axis, strides
from opsmith.runtimes.families.movement import EVERY_TYPE, X, Y, numbers
from opsmith.runtimes.families.walk import Eight, padded

MOST_AXES = 6  # of x, in LiteRT


@dataclass(frozen=True)
class Params:
    """The geometry, with leading axes of one position."""

    elements: int  # of y
    size: Eight  # of x
    step: Eight  # elements of y from one of x to the next


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: large enough."""
    x, dilations = node["x"], per_axis(node, "dilations")
    if not 1 <= len(x.shape) <= MOST_AXES:
        raise OpError(f"x {x.type} must have 1 to {MOST_AXES} axes")
    if min(dilations) < 1:
        raise OpError(f"dilations are {dilations}, which must be above 0")
    if node["padding"].elements != 1:
        raise OpError(f"padding {node['padding'].type} must be one element")
    sizes = zip(x.shape, dilations, strict=True)
    return [TensorType(x.dtype, tuple((size - 1) * step + 1 for size, step in sizes))]


def params(node: NodeView) -> Params:
    """Params of a node."""
    y, dilations = node["y"], per_axis(node, "dilations")
    steps = [step * each for step, each in zip(strides(y.shape), dilations, strict=True)]
    return Params(y.elements, padded(node["x"].shape), padded(steps))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The elements in numpy."""
    y = np.full(node["y"].shape, inputs[-1].reshape(-1)[0])
    y[tuple(slice(None, None, each) for each in per_axis(node, "dilations"))] = inputs[0]
    return [y]


KERNEL = Kernel("reference", Params, every_node(params))
OP = Op(
    "dilate",
    legalize=(Rename("tflite.DILATE", ignore=("builtin_options_2",)),),
    inputs=(X, numbers("dilations"), Input("padding", "T")),
    outputs=(Y,),
    infer=infer,
    evaluate=evaluate,
    variants=tuple(Variant({"T": dtype}, (KERNEL,)) for dtype in EVERY_TYPE),
    examples=(
        Example(
            {
                "x": ExampleTensor(i32, (2, 3)),
                "dilations": ExampleTensor(i32, (2,), data=np.array([1, 2])),
                "padding": ExampleTensor(i32, ()),
                "y": ExampleTensor(i32, (2, 5)),
            }
        ),
    ),
)
