"""ScatterND: zeros, to which updates are added at the places of tuples of indices.

Where several tuples lead to one place, all updates are added, in order; for bool, any true one
counts. An index out of range leads to the nearest position, where TFLite fails at run time.
"""

from opsmith.op import *
from runtimes.families.indices import index_problems, positions, zero_filled
from runtimes.families.movement import moved_problems, numbers
from runtimes.families.walk import Eight


@dataclass(frozen=True)
class Params:
    """Sizes of tuples, updates and y."""

    elements: int  # of y
    tuples: int
    depth: int  # indices of a tuple
    size: Eight  # positions along the axes that they lead to, then zeros
    row: int  # elements that a tuple leads to
    width: int = i32.size  # bytes of an index


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: as `shape` says; its last axes are those of x, the updates."""
    indices, x, y = node["indices"], node["x"], tuple(node["shape"].data.reshape(-1).tolist())
    if not indices.shape or not 1 <= indices.shape[-1] <= len(y):
        raise OpError(f"the last axis of indices {indices.type} has no 1 to {len(y)} indices")
    wanted = (*indices.shape[:-1], *y[indices.shape[-1] :])
    if min(y) < 1 or x.shape != wanted:
        raise OpError(f"x {x.type} and indices {indices.type} do not fit shape {list(y)}")
    return [TensorType(x.dtype, y)]


def check(node: NodeView) -> Iterator[str]:
    """Sentences about elements whose value would differ in y, and constant indices out of range."""
    yield from moved_problems(node)
    yield from index_problems(node["indices"], _sizes(node))


def _sizes(node: NodeView) -> tuple[int, ...]:
    """Sizes of y's axes that indices address."""
    return node["y"].shape[: node["indices"].shape[-1]]


def params(node: NodeView) -> Params:
    """Sizes of a node's tuples, updates and y."""
    sizes, indices = _sizes(node), node["indices"]
    row = node["y"].elements // math.prod(sizes)
    depth = len(sizes)
    return Params(node["y"].elements, indices.elements // depth, depth, zero_filled(sizes), row)


def limits(node: NodeView) -> tuple[int, int]:
    """Least and greatest position along each axis that indices address."""
    return 0, min(_sizes(node)) - 1


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Sums in numpy, update by update."""
    indices, x = inputs[0], inputs[1]
    sizes = _sizes(node)
    y = np.zeros((math.prod(sizes), node["y"].elements // math.prod(sizes)), x.dtype)
    at = positions(indices.reshape(-1, len(sizes)), sizes)
    np.add.at(y, at, x.reshape(at.size, y.shape[1]))
    return [y.reshape(node["y"].shape)]


OP = Op(
    "scatter_nd",
    legalize=(Rename("tflite.SCATTER_ND"),),
    inputs=(Input("indices", i32, limits=limits), Input("x", "T"), numbers("shape", shape_of="y")),
    infer=infer,
    check=check,
    evaluate=evaluate,
    variants=of_types({"T": (boolean, i8, i32, i64, u8, f32)}, reference(params)),
    examples=(Example.of(indices=(3, 1), x=(3, 6), shape=[4, 6]),),
    traits={"from_nothing"},
)
