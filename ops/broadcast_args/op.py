"""BroadcastArgs: the shape that tensors of two shapes broadcast to.

LiteRT refuses shapes that do not broadcast; firmware takes the first shape's size where shapes are
known only at run time.
"""

from opsmith.op import *
from runtimes.families.broadcast import broadcast_shape


@dataclass(frozen=True)
class Params:
    """Number of dimensions of both shapes."""

    a_rank: int
    b_rank: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: as many sizes as the longer shape has."""
    a, b = node["a"], node["b"]
    return [TensorType(a.dtype, max(a.shape, b.shape))]


def check(node: NodeView) -> Iterator[str]:
    """Sentence about constant shapes that do not broadcast."""
    shapes = [node[name].data.tolist() for name in "ab" if node[name].constant is not None]
    try:
        broadcast_shape(*map(tuple, shapes))
    except OpError as problem:
        yield str(problem)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Sizes in numpy, after leading ones. Sizes are int32, as in LiteRT."""
    rank = node["y"].elements
    sizes = (x.astype(np.int32) for x in inputs)
    a, b = (np.pad(x, (rank - len(x), 0), constant_values=1) for x in sizes)
    return [np.where(a == 1, b, a).astype(inputs[0].dtype)]


params = by_name(Params, a_rank=lambda n: n["a"].elements, b_rank=lambda n: n["b"].elements)
OP = Op(
    name="broadcast_args",
    legalize=(Rename("tflite.BROADCAST_ARGS"),),
    inputs=(Input("a", "T", rank=1), Input("b", "T", rank=1)),
    infer=infer,
    check=check,
    evaluate=evaluate,
    departs=Departure("shapes that do not broadcast", "fails", "those of the first", fails=True),
    variants=of_types({"T": (i32, i64)}, reference(params)),
    examples=(Example.of(a=(2,), b=(3,)),),
)
