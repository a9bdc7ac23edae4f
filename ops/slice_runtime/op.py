"""SliceRuntime: a slice of known sizes along each axis, from a position that is computed.

A slice that would leave x is moved inside, where TFLite reads other memory.
"""

from opsmith.op import *
from runtimes.families.axes import per_axis, strides
from runtimes.families.indices import INDEX_TYPES
from runtimes.families.movement import EVERY_TYPE, X, copied, numbers
from runtimes.families.walk import MAX_AXES, Eight, padded


@dataclass(frozen=True)
class Params:
    """Sizes and steps, with leading axes of one position."""

    size: Eight  # of y; of its last axis 1, which is a row
    room: Eight  # positions that it may be moved by
    step: Eight  # bytes of x from one position to the next
    rank: int
    row: int  # bytes
    width: int  # bytes of one of positions


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, with the sizes that `size` lists."""
    x, begin, size = node["x"], node["begin"], per_axis(node, "size")
    if not 1 <= len(x.shape) <= MAX_AXES or begin.shape != (len(x.shape),):
        raise OpError(f"begin {begin.type} must have one number per axis of x {x.type}")
    for axis, (length, wanted) in enumerate(zip(x.shape, size, strict=True)):
        if not 1 <= wanted <= length:
            raise OpError(f"size is {wanted} along axis {axis} of x {x.type}: begin is not known")
    return [TensorType(x.dtype, tuple(size))]


def room(node: NodeView) -> Array:
    """Number of positions by which y may move along each axis."""
    return np.array(node["x"].shape) - node["y"].shape


def limits(node: NodeView) -> tuple[int, int]:
    """Least and greatest position along each axis for a slice within x."""
    return 0, int(room(node).min())


def leaves(node: NodeView, inputs: Sequence[Array]) -> bool:
    """True if a slice would leave x."""
    return bool(((inputs[1] < 0) | (inputs[1] > room(node))).any())


def params(node: NodeView) -> Params:
    """Sizes and steps of a node."""
    x, y = node["x"], node["y"]
    free = room(node).tolist()
    return Params(
        padded((*y.shape[:-1], 1)),
        padded([*[0] * (MAX_AXES - len(free)), *free]),
        padded([step * x.dtype.size for step in strides(x.shape)]),
        len(free),
        y.shape[-1] * x.dtype.size,
        node["begin"].dtype.size,
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Slice in numpy."""
    first = np.clip(inputs[1], 0, room(node))
    ends = zip(first, node["y"].shape, strict=True)
    return [inputs[0][tuple(slice(at, at + size) for at, size in ends)].copy()]


def cost(node: NodeView) -> float:
    """Instructions to copy each row of y."""
    row = params(node).row
    return copied(node["y"].bytes // row, row)


OP = Op(
    "slice_runtime",
    legalize=(
        Rename(
            "tflite.SLICE",
            versions=range(1, 9),
            as_stored=True,
            extends="slice",
            when=lambda node: node["begin"].constant is None,
        ),
    ),
    inputs=(X, Input("begin", "I", limits=limits), numbers("size", shape_of="y")),
    infer=infer,
    evaluate=evaluate,
    variants=of_types(
        {"T": EVERY_TYPE, "I": INDEX_TYPES}, reference(params, cost=cost), untyped=True
    ),
    examples=(Example.of(x=(4, 6), begin=(2,), size=[2, 3]),),
    departs=Departure("a part that leaves x", "reads other memory", "moved inside", when=leaves),
)
