"""StablehloGather: slices of x that start where tuples of indices lead, moved until they fit x."""

from opsmith.op import *
from runtimes.families.axes import strides
from runtimes.families.indices import INDEX_TYPES, zero_filled
from runtimes.families.movement import EVERY_TYPE, X
from runtimes.families.slices import Slices, vector_axis
from runtimes.families.walk import Eight, padded

TYPES = tuple(dtype for dtype in EVERY_TYPE if dtype != boolean)
LISTS = ("offset_dims", "collapsed_slice_dims", "start_index_map", "slice_sizes")


@dataclass(frozen=True)
class Params:
    """Sizes and steps. Axes have leading ones, and facts of tuples trailing zeros."""

    size: Eight  # of y
    tuple_step: Eight  # elements of indices from one position of y to the next
    x_step: Eight  # elements of x
    depth: int  # indices of a tuple
    index_step: int  # elements from one of them to the next
    starts: Eight  # positions that a slice can start at
    start_step: Eight  # elements of x from one to the next
    width: int  # bytes of an index


def slices(node: NodeView) -> Slices:
    """Slices of x, which are the parts of y."""
    x, indices = node["x"], node["indices"]
    inner, left, mapped, sizes = (node.attributes[name] for name in LISTS)
    if len(sizes) != len(x.shape):
        raise OpError(f"slice_sizes {sizes} must have one number per axis of x {x.type}")
    vector = vector_axis(node.attributes["index_vector_dim"], indices)
    found = Slices(x, indices, vector, mapped, left, inner, sizes)
    found.check()
    return found


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: a slice for each tuple."""
    return [TensorType(node["x"].dtype, slices(node).shape)]


def limits(node: NodeView) -> tuple[int, int]:
    """Least and greatest start of a slice within x."""
    return 0, min(last(slices(node)), default=0)


def last(found: Slices) -> list[int]:
    """Last position of a slice within x along each mapped axis."""
    return [found.whole.shape[axis] - found.sizes[axis] for axis in found.mapped]


def params(node: NodeView) -> Params:
    """Sizes and steps of a node."""
    found, indices = slices(node), node["indices"]
    tuple_step, x_step = found.steps()
    steps = strides(node["x"].shape)
    return Params(
        padded(found.shape),
        padded(tuple_step),
        padded(x_step),
        len(found.mapped),
        strides(indices.shape)[found.vector],
        zero_filled([each + 1 for each in last(found)]),
        zero_filled([steps[axis] for axis in found.mapped]),
        indices.dtype.size,
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Slices in numpy."""
    x, indices = inputs
    found = slices(node)
    starts = found.starts(indices)
    starts[:, list(found.mapped)] = np.clip(starts[:, list(found.mapped)], 0, last(found))
    tuples, inside = found.places()
    at = (starts[tuples] + inside) @ np.array(strides(x.shape), np.int64)
    return [x.reshape(-1)[at].reshape(found.shape)]


def cost(node: NodeView) -> float:
    """Instructions: for each element of y, and for each index that starts a run of neighbours."""
    p = params(node)
    run = p.size[-1] if p.tuple_step[-1] == 0 else 1
    return node["y"].elements * (4.0 + 8.5 * p.depth / run)


KERNEL = reference(
    params,
    cost=cost,
    function="opsmith::stablehlo_gather::gather<T>",
    arguments=("p", "in.x", "in.indices", "out.y"),
)
OP = Op(
    "stablehlo_gather",
    legalize=(Rename("tflite.STABLEHLO_GATHER", ignore=("indices_are_sorted",)),),
    inputs=(X, Input("indices", "I", limits=limits)),
    attributes=(
        *(Attribute(name, ListOf(int), default=()) for name in LISTS),
        Attribute("index_vector_dim", int, default=0),
    ),
    infer=infer,
    evaluate=evaluate,
    variants=of_types({"T": TYPES, "I": INDEX_TYPES}, KERNEL, untyped=True),
    examples=(
        Example.of(
            {
                "offset_dims": (1,),
                "collapsed_slice_dims": (0,),
                "start_index_map": (0,),
                "slice_sizes": (1, 6),
                "index_vector_dim": 1,
            },
            x=(4, 6),
            indices=(3, 1),
        ),
    ),
)
