"""Ops of x and an axis that give the position of the greatest or least element along the axis."""

from itertools import product

from opsmith.op import *
from runtimes.families.axes import given_axis, resized

TYPES = (i8, u8, i32, f32, boolean)
INDICES = (i32, i64)
Better = Callable[[Array, Array], Array]  # than the best so far


@dataclass(frozen=True)
class AxisSplit:
    """Sizes of x before, along and after the axis."""

    outer: int
    depth: int  # elements along the axis
    inner: int


def along(node: NodeView) -> AxisSplit:
    """Sizes of a node's x before, along and after its axis."""
    x, axis = node["x"].shape, given_axis(node)
    return AxisSplit(math.prod(x[:axis]), x[axis], math.prod(x[axis + 1 :]))


FEW = 4  # floats that LiteRT compares at a time

NAN_AMONG_FOUR = Departure(
    "four or more floats, of which some are NaN",
    "answers differently by the place of the NaN",
    "the place of the best number, if there is any",
    lambda node, inputs: along(node).depth >= FEW and bool(np.isnan(inputs[0]).any()),
)
KERNEL = reference(along, cost=lambda node: 9.0 * node["x"].elements)


def argument(name: str, source: str, better: Better, function: str) -> Op:
    """Op of the position of the element that is `better` than all others. A NaN is only better than
    none.

    `function` is the name by which backends know `better`.
    """

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        best, *others = np.moveaxis(inputs[0], given_axis(node), 0)
        at = np.zeros(best.shape, node["y"].dtype.numpy)
        for index, x in enumerate(others, start=1):
            replaces = better(x, best) | (best != best) & (x == x)
            best, at = np.where(replaces, x, best), np.where(replaces, at.dtype.type(index), at)
        return [at]

    return Op(
        name,
        inputs=(Input("x", "T"), Input("axis", i32, constant=True)),
        outputs=(Output("y", "U"),),
        infer=_infer,
        variants=tuple(_variant(x, y, function) for x, y in product(TYPES, INDICES)),
        legalize=(
            Rename(
                source,
                versions=range(1, 3),
                ignore=("output_type",),  # the tensor says its type
            ),
        ),
        evaluate=evaluate,
    )


def _infer(node: NodeView) -> Sequence[TensorType]:
    shape = resized(node["x"].shape, given_axis(node))
    return [TensorType(node["y"].dtype, shape)]


def _variant(x: DType, y: DType, function: str) -> Variant:
    scale = 0.1 if x in (i8, u8) else None
    examples = tuple(
        Example(
            {
                "x": ExampleTensor(x, (2, 3, 16), scale),
                "axis": ExampleTensor(i32, (1,), data=np.array([axis])),
                "y": ExampleTensor(y, shape),
            }
        )
        for axis, shape in ((1, (2, 16)), (2, (2, 3)))
    )
    return Variant(
        {"T": x, "U": y},
        (KERNEL,),
        kind=Kind("argument", "along", {"F": function}),
        examples=examples,
        departs=NAN_AMONG_FOUR if x == f32 else None,
    )
