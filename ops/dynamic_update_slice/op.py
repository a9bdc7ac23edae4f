"""DynamicUpdateSlice: a tensor with a part replaced, at a position that may be computed.

The part stays within the tensor: a position that would lead out of it is moved inside.
"""

from opsmith.op import *
from runtimes.families.axes import strides
from runtimes.families.indices import INDEX_TYPES
from runtimes.families.movement import EVERY_TYPE, X, moved_problems, quantised_as
from runtimes.families.walk import MAX_AXES, Eight, padded


@dataclass(frozen=True)
class Params:
    """Geometry, with leading axes of one position."""

    bytes: int  # of y
    size: Eight  # of the update; of its last axis 1, which is a row
    room: Eight  # positions that it may be moved by
    step: Eight  # bytes of y from one position to the next
    rank: int
    row: int  # bytes
    width: int  # bytes of one of positions


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, which is x's; x has room for the update."""
    x, update, start = node["x"], node["update"], node["start"]
    fits = len(x.shape) == len(update.shape) and all(map(int.__le__, update.shape, x.shape))
    if not x.shape or not fits:
        raise OpError(f"update {update.type} does not fit into x {x.type}")
    if start.shape != (len(x.shape),):
        raise OpError(f"start {start.type} must have one number per axis of x {x.type}")
    return [x.type]


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisations that differ: elements are copied without conversion."""
    yield from moved_problems(node)
    yield from quantised_as("x", "update")(node)


def params(node: NodeView) -> Params:
    """Geometry of a node."""
    x, update = node["x"], node["update"]
    room = [size - part for size, part in zip(x.shape, update.shape, strict=True)]
    return Params(
        x.bytes,
        padded((*update.shape[:-1], 1)),
        padded([*[0] * (MAX_AXES - len(room)), *room]),
        padded([step * x.dtype.size for step in strides(x.shape)]),
        len(room),
        update.shape[-1] * x.dtype.size,
        node["start"].dtype.size,
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Tensor with the part replaced, in numpy."""
    x, update, start = inputs
    first = np.clip(start, 0, np.array(x.shape) - update.shape)
    y = x.copy()
    y[tuple(slice(at, at + size) for at, size in zip(first, update.shape, strict=True))] = update
    return [y]


def changes_nothing(node: NodeView) -> bool:
    """True if the update has no elements."""
    return not node["update"].elements


KERNEL = reference(params, overlap={"x": Distance(in_place=True)})  # only the part is written
OP = Op(
    "dynamic_update_slice",
    legalize=(Rename("tflite.DYNAMIC_UPDATE_SLICE", versions=range(1, 7)),),
    inputs=(X, Input("update", "T", empty=True), Input("start", "I")),
    infer=infer,
    check=check,
    evaluate=evaluate,
    hooks=Hooks(views=Views(identity=changes_nothing)),
    variants=of_types({"T": EVERY_TYPE, "I": INDEX_TYPES}, KERNEL, untyped=True),
    examples=(Example.of(x=(4, 6), update=(2, 3), start=(2,)),),
)
