"""SparseToDense: one value everywhere but where indices lead; the last value for a place stays.

An index out of range leads to the nearest position, where TFLite fails at run time.
"""

from opsmith.op import *
from runtimes.families.indices import (
    INDEX_TYPES,
    NO_POSITION,
    index_problems,
    positions,
    zero_filled,
)
from runtimes.families.movement import numbers
from runtimes.families.walk import Eight

MOST_AXES = 4  # of y, in LiteRT


@dataclass(frozen=True)
class Params:
    """Sizes of tuples, values and y."""

    elements: int  # of y
    tuples: int
    depth: int  # indices of a tuple
    size: Eight  # of y, then zeros
    width: int  # bytes of an index
    step: int  # from the value of a tuple to that of the next: 1, or 0 where there is one value


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, with the sizes that `shape` lists."""
    indices, x, shape = node["indices"], node["x"], node["shape"]
    if len(shape.shape) != 1 or not 1 <= shape.elements <= MOST_AXES:
        raise OpError(f"shape {shape.type} must be a vector of 1 to {MOST_AXES} sizes")
    sizes = tuple(shape.data.tolist())
    if min(sizes) < 1:
        raise OpError(f"shape is {list(sizes)}; sizes must be above 0")
    if len(indices.shape) > 2 or _depth(node) != len(sizes):
        raise OpError(f"indices {indices.type} are none of {len(sizes)} axes")
    if x.shape not in ((), (indices.elements // len(sizes),)):
        raise OpError(f"x {x.type} must be one element, or one for each of indices {indices.type}")
    if node["rest"].elements != 1:
        raise OpError(f"rest {node['rest'].type} must be one element")
    return [TensorType(x.dtype, sizes)]


def _depth(node: NodeView) -> int:
    indices = node["indices"].shape
    return indices[1] if len(indices) == 2 else 1


def check(node: NodeView) -> Iterator[str]:
    """Sentences about constant indices that are out of range."""
    indices = node["indices"]
    if len(indices.shape) == 2:
        yield from index_problems(indices, node["y"].shape)
    else:
        yield from index_problems(indices, node["y"].shape[:1])


def limits(node: NodeView) -> tuple[int, int]:
    """Least and greatest position along each axis."""
    return 0, min(node["y"].shape) - 1


def params(node: NodeView) -> Params:
    """Sizes of a node's tuples, values and y."""
    x, y, indices, depth = node["x"], node["y"], node["indices"], _depth(node)
    return Params(
        y.elements,
        indices.elements // depth,
        depth,
        zero_filled(y.shape),
        indices.dtype.size,
        len(x.shape),
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Tensor in numpy, value by value."""
    indices, x, rest = inputs[0], inputs[-2], inputs[-1]
    y = np.full(node["y"].elements, rest.reshape(-1)[0])
    at = positions(indices.reshape(-1, _depth(node)), node["y"].shape)
    for place, value in zip(at, np.broadcast_to(x, at.shape), strict=True):
        y[place] = value
    return [y.reshape(node["y"].shape)]


def cost(node: NodeView) -> float:
    """Instructions: for each index, and for each element of y, more for bytes, which may alias."""
    p = params(node)
    each = 6.2 if node["x"].dtype.size == 1 else 3.0
    return each * p.elements + p.tuples * (20.0 * p.depth - 8.0)


EXAMPLE = Example.of(indices=(3, 2), shape=[4, 6], x=(3,), rest=())
OP = Op(
    "sparse_to_dense",
    legalize=(
        Rename("tflite.SPARSE_TO_DENSE", versions=range(1, 4), ignore=("validate_indices",)),
    ),
    inputs=(
        Input("indices", "I", limits=limits),
        numbers("shape", shape_of="y"),
        Input("x", "T"),
        Input("rest", "T"),
    ),
    infer=infer,
    check=check,
    evaluate=evaluate,
    variants=of_types(
        {"T": (i8, u8, i32, i64, f32), "I": INDEX_TYPES},
        reference(params, cost=cost),
        examples=(EXAMPLE,),
    ),
    departs=NO_POSITION,
)
