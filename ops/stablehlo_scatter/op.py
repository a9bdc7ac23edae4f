"""StablehloScatter: x, whose elements a function joins with updates where tuples of indices lead.

Updates beyond x are left out. LiteRT would write out of bounds for updates before the start of x.
"""

from opsmith.op import *
from runtimes.families.axes import strides
from runtimes.families.indices import INDEX_TYPES, zero_filled
from runtimes.families.movement import X, copied
from runtimes.families.slices import Slices, vector_axis
from runtimes.families.walk import Eight, padded

LISTS = ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims")
FUNCTIONS: Mapping[str, Callable[[Array, Array], Array]] = {
    "SECOND": lambda found, update: update,
    "STABLEHLO_ADD": np.add,
    "STABLEHLO_MULTIPLY": np.multiply,
    "STABLEHLO_MAXIMUM": lambda found, update: np.where(found < update, update, found),
    "STABLEHLO_MINIMUM": lambda found, update: np.where(update < found, update, found),
}


@dataclass(frozen=True)
class Params:
    """Sizes and steps. Axes of updates have leading ones, and facts of x trailing zeros."""

    elements: int  # of x
    rank: int  # of x
    shape: Eight  # of x
    step: Eight  # elements of x from one position to the next
    size: Eight  # of updates
    tuple_step: Eight  # elements of indices from one update to the next
    axis: Eight  # of x that an axis of updates lies along, or -1
    depth: int  # indices of a tuple
    index_step: int  # elements from one of them to the next
    mapped: Eight  # axes of x that they are for
    width: int  # bytes of an index
    function: int  # its number among FUNCTIONS


def slices(node: NodeView) -> Slices:
    """Slices of y that updates belong to."""
    x, indices, updates = node["x"], node["indices"], node["updates"]
    inner, left, mapped = (node.attributes[name] for name in LISTS)
    vector = vector_axis(node.attributes["index_vector_dim"], indices)
    if not all(0 <= axis < len(updates.shape) for axis in inner):
        raise OpError(f"update_window_dims {inner} are no axes of updates {updates.type}")
    own = iter([updates.shape[axis] for axis in inner])
    sizes = tuple(1 if axis in left else next(own, 0) for axis in range(len(x.shape)))
    found = Slices(x, indices, vector, mapped, left, inner, sizes)
    found.check()
    if found.shape != updates.shape:
        raise OpError(f"updates {updates.type} do not fit indices {indices.type}")
    return found


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, which is x's."""
    slices(node)
    return [node["x"].type]


def check(node: NodeView) -> Iterator[str]:
    """Sentence about constant indices below zero."""
    indices = node["indices"]
    if indices.constant is not None and (indices.data < 0).any():
        yield f"indices reach {indices.data.min()}, before the start of x"


def limits(node: NodeView) -> tuple[int, int]:
    """Least and greatest position along each axis that indices address."""
    found = slices(node)
    return 0, min((found.whole.shape[axis] - 1 for axis in found.mapped), default=0)


def params(node: NodeView) -> Params:
    """Sizes and steps of a node."""
    found, x, indices = slices(node), node["x"], node["indices"]
    kept = iter(found.kept)
    along = [next(kept) if axis in found.inner else -1 for axis in range(len(found.shape))]
    leading = (-1,) * (len(padded(found.shape)) - len(along))
    return Params(
        x.elements,
        len(x.shape),
        zero_filled(x.shape),
        zero_filled(strides(x.shape)),
        padded(found.shape),
        padded(found.steps()[0]),
        zero_filled((*leading, *along)),
        len(found.mapped),
        strides(indices.shape)[found.vector],
        zero_filled(found.mapped),
        indices.dtype.size,
        [*FUNCTIONS].index(node.attributes["function"]),
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """x joined with updates in numpy, one after the other."""
    x, indices, updates = inputs
    found, y = slices(node), x.copy().reshape(-1)
    function = FUNCTIONS[node.attributes["function"]]
    tuples, inside = found.places()
    at = found.starts(indices)[tuples] + inside
    within = ((at >= 0) & (at < np.array(x.shape))).all(axis=1)
    places = at @ np.array(strides(x.shape), np.int64)
    with np.errstate(all="ignore"):
        for place, update in zip(places[within], updates.reshape(-1)[within], strict=True):
            y[place] = function(y[place], update)
    return [y.reshape(x.shape)]


def cost(node: NodeView) -> float:
    """Instructions: for each update, and for the copy of x."""
    return 33.0 * node["updates"].elements + copied(1, node["x"].bytes)


KERNEL = reference(params, cost=cost)
OP = Op(
    "stablehlo_scatter",
    legalize=(Rename("tflite.STABLEHLO_SCATTER", ignore=("indices_are_sorted", "unique_indices")),),
    inputs=(X, Input("indices", "I", limits=limits), Input("updates", "T")),
    attributes=(
        *(Attribute(name, ListOf(int), default=()) for name in LISTS),
        Attribute("index_vector_dim", int, default=0),
        Attribute("function", str, default="SECOND", choices=(*FUNCTIONS,)),
    ),
    infer=infer,
    check=check,
    evaluate=evaluate,
    departs=Departure("an index below zero", "writes out of bounds", "left out", fails=True),
    variants=of_types({"T": (i8, i16, i32, i64, u8, f32), "I": INDEX_TYPES}, KERNEL),
    examples=(
        Example.of(
            {
                "update_window_dims": (1,),
                "inserted_window_dims": (0,),
                "scatter_dims_to_operand_dims": (0,),
                "index_vector_dim": 1,
            },
            x=(4, 6),
            indices=(3, 1),
            updates=(3, 6),
        ),
    ),
)
