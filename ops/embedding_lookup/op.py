"""EmbeddingLookup: the rows of a table that indices name; of a table of int8 also as float32."""

from opsmith.op import *
from runtimes.families.indices import INDICES, Tuples, looked_up, positions
from runtimes.families.movement import EVERY_TYPE, X


@dataclass(frozen=True)
class Params:
    """Geometry of a table whose rows become float32."""

    tuples: int  # indices
    positions: int  # rows of the table
    row: int  # elements
    scales: int  # one for each row, or one


@dataclass(frozen=True)
class Tables:
    """Scale of each row."""

    scale: NDArray[np.float32]


def tuples(node: NodeView) -> Tuples:
    """Axes that an index addresses: the first of the table."""
    x, indices = node["x"], node["indices"]
    if len(indices.shape) != 1 or len(x.shape) < 2:
        raise OpError(f"indices {indices.type} must be a vector, x {x.type} a table of rows")
    if x.packed and node["y"].dtype == i8:
        what = f"LiteRT cannot look up rows of int{x.packed} as int8"
        raise OpError(f"{what}: it copies bytes that hold several elements")
    return Tuples(range(1))


def check(node: NodeView) -> Iterator[str]:
    """Problems of an int8 table: zero points must be 0, scales one for all or one for each row."""
    given = node["x"].quantization
    if given is None or any(given.zero_points) or (given.per_channel and given.axis):
        yield "x must be quantised with zero point 0, per tensor or by rows"


def params(node: NodeView) -> Params:
    """Geometry of a node's table."""
    x = node["x"]
    row = x.elements // x.shape[0]
    return Params(node["indices"].elements, x.shape[0], row, _scales(node).size)


def tables(node: NodeView) -> Tables:
    """Table of the rows' scales."""
    return Tables(_scales(node))


def _scales(node: NodeView) -> NDArray[np.float32]:
    given = node["x"].quantization
    return np.array(given.scales if given is not None else (), np.float32)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Rows times their scales, in numpy."""
    indices, table = inputs
    rows = table.astype(np.float32).reshape(len(table), -1) * _scales(node)[:, None]
    return [rows[positions(indices[:, None], (len(table),))].reshape(node["y"].shape)]


ROWS = np.arange(24).reshape(4, 6)
DEQUANTISED = Variant(
    {"T": i8, "I": i32, "U": f32},
    (reference(params, tables),),
    check=check,
    evaluate=evaluate,
    examples=(Example.of(indices=(3,), x=ExampleTensor(None, (4, 6), data=ROWS)),),
)
OP = looked_up(
    "embedding_lookup",
    Rename("tflite.EMBEDDING_LOOKUP", versions=range(1, 6)),
    tuples,
    EVERY_TYPE,
    Example.of(indices=(3,), x=(4, 6)),
    inputs=(INDICES, X),
    index_types=(i32,),
    computed=(DEQUANTISED,),
)
