"""EmbeddingLookupSparse: weighted sums or means of a table's rows, for each place that has some.

Ids and indices out of range lead to the nearest position, where TFLite fails at run time.
"""

from opsmith.op import *
from runtimes.families.indices import NO_POSITION, index_problems, positions, zero_filled
from runtimes.families.movement import numbers
from runtimes.families.walk import Eight

COMBINERS = ("SUM", "MEAN", "SQRTN")


@dataclass(frozen=True)
class Params:
    """Sizes of the table, the lookups and y."""

    places: int  # of y
    row: int  # elements of each, and of a row of the table
    rows: int  # of the table
    lookups: int
    depth: int  # indices of a lookup that say where it goes
    size: Eight  # positions along the axes that they lead to, then zeros
    stride: int  # from the indices of a lookup to those of the next
    combiner: int  # its number among COMBINERS
    width: int = i32.size  # bytes of an index


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: the shape without its last size, followed by the shape of a row."""
    ids, indices, shape, weights, table = map(node.__getitem__, NAMES)
    if len(ids.shape) != 1 or weights.shape != ids.shape:
        raise OpError(f"ids {ids.type} and weights {weights.type} must be vectors of one size")
    if len(shape.shape) != 1 or indices.shape != (*ids.shape, shape.elements):
        raise OpError(
            f"indices {indices.type} must have a row for each id, like shape {shape.type}"
        )
    sizes = tuple(shape.data.tolist())[:-1]
    if min(sizes, default=1) < 1:
        raise OpError(f"shape is {shape.data.tolist()}; sizes must be above 0")
    return [TensorType(f32, (*sizes, *table.shape[1:]))]


def check(node: NodeView) -> Iterator[str]:
    """Sentences about constant ids and indices that are out of range."""
    yield from index_problems(node["ids"], node["table"].shape[:1])
    indices, sizes = node["indices"], _sizes(node)
    at = indices.data[:, :-1] if indices.constant is not None else np.zeros((1, len(sizes)))
    if ((at < 0) | (at >= np.array(sizes))).any():
        yield f"indices {indices.type} lead out of {list(sizes)}"


def _sizes(node: NodeView) -> tuple[int, ...]:
    """Sizes of y's axes that indices address."""
    return tuple(node["shape"].data.tolist())[:-1]


def params(node: NodeView) -> Params:
    """Params of a node."""
    sizes, table = _sizes(node), node["table"]
    return Params(
        math.prod(sizes),
        table.elements // table.shape[0],
        table.shape[0],
        node["ids"].elements,
        len(sizes),
        zero_filled(sizes),
        node["shape"].elements,
        COMBINERS.index(node.attributes["combiner"]),
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Sums in numpy: a place is divided by its weight when the next lookup has another place."""
    ids, indices, weights, table = inputs[0], inputs[1], inputs[-2], inputs[-1]
    p, sizes, combiner = params(node), _sizes(node), node.attributes["combiner"]
    y = np.zeros((p.places, p.row), np.float32)
    rows = table.reshape(p.rows, p.row)[positions(ids[:, None], (p.rows,))]
    to = positions(indices[:, :-1], sizes) if sizes else np.zeros(len(ids), np.int64)
    total = squares = np.float32(0)
    with np.errstate(all="ignore"):
        for i, (place, row, weight) in enumerate(zip(to, rows, weights, strict=True)):
            total, squares = total + weight, squares + weight * weight
            y[place] += row * weight
            if combiner != "SUM" and (i + 1 == len(to) or to[i + 1] != place):
                y[place] /= total if combiner == "MEAN" else np.sqrt(squares)
                total = squares = np.float32(0)
    return [y.reshape(node["y"].shape)]


def rows_of(node: NodeView) -> tuple[int, int]:
    """Least and greatest row of the table."""
    return 0, node["table"].shape[0] - 1


def places_of(node: NodeView) -> tuple[int, int]:
    """Least and greatest position along each axis."""
    return 0, min(_sizes(node), default=1) - 1


def cost(node: NodeView) -> float:
    """Instructions: to add each element of a row, and, except for sums, to divide it."""
    p, combiner = params(node), node.attributes["combiner"]
    divided = 0 if combiner == "SUM" else min(p.lookups, p.places)
    root = 264.0 if combiner == "SQRTN" else 0.0
    return float(p.lookups * (7.5 * p.row + 19.0) + divided * (6.6 * p.row + root))


NAMES = ("ids", "indices", "shape", "weights", "table")
OP = Op(
    "embedding_lookup_sparse",
    legalize=(Rename("tflite.EMBEDDING_LOOKUP_SPARSE"),),
    inputs=(
        Input("ids", i32, limits=rows_of),
        Input("indices", i32, limits=places_of),
        numbers("shape"),
        Input("weights", f32),
        Input("table", f32, rank=at_least(2)),
    ),
    outputs=(Output("y", f32),),
    attributes=(Attribute("combiner", str, default="SUM", choices=COMBINERS),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    departs=NO_POSITION,
    variants=(Variant({}, (reference(params, cost=cost),)),),
    examples=(
        Example.of(ids=(3,), indices=(3, 2), shape=[2, 4], weights=(3,), table=(5, 6), y=(2, 6)),
    ),
)
