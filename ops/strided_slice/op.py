"""StridedSlice: every stride-th element between two positions, along each axis."""

from opsmith.op import *
from opsmith.op.rows import AXIS, RowWindow
from runtimes.families.axes import strides
from runtimes.families.walk import Walk, walk_through

LARGEST = 2**31 - 1


@dataclass(frozen=True)
class AxisSlice:
    """Positions that are taken of one axis of x, or a new axis of y, which has step 0."""

    start: int
    stride: int
    count: int
    step: int  # elements of x from one position to the next
    kept: bool = True  # whether y has the axis, too


def walk(node: NodeView) -> Walk:
    """Walk through the positions taken of each axis that is kept."""
    axes = _axes(node)
    first = sum(axis.start * axis.step for axis in axes)
    return Walk(first, [(axis.count, axis.stride * axis.step) for axis in axes if axis.kept])


def _axes(node: NodeView) -> list[AxisSlice]:
    """Axes of y and dropped axes, in order, from the bounds; an ellipsis, and the end, take the
    axes that bounds leave.
    """
    bounds = _bounds(node)
    new, ellipsis = node.attributes["new_axis_mask"], node.attributes["ellipsis_mask"]
    ellipsis &= (1 << len(bounds)) - 1
    if ellipsis & (ellipsis - 1):
        raise OpError(f"ellipsis_mask {ellipsis} has more than one ellipsis")
    bounded = [i for i in range(len(bounds)) if not (new | ellipsis) >> i & 1]
    x = node["x"]
    left = len(x.shape) - len(bounded)
    if left < 0:
        raise OpError(f"begin {node['begin'].type} names more axes than x {x.type} has")
    if ellipsis and not left:
        raise OpError("an ellipsis of no axes, which TFLite takes for an axis, is not supported")
    whole = [AxisSlice(0, 1, *each) for each in zip(x.shape, strides(x.shape), strict=True)]
    axes: list[AxisSlice] = []
    for i, each in enumerate(bounds):
        if ellipsis >> i & 1:
            axes, whole = axes + whole[:left], whole[left:]
        elif new >> i & 1:
            axes.append(AxisSlice(0, 1, 1, 0))
        else:
            axes.append(_taken(node, i, whole.pop(0), *each))
    return axes + whole


def _bounds(node: NodeView) -> list[tuple[int, int, int]]:
    given = [node[name] for name in BOUNDS]
    for name, tensor in zip(BOUNDS, given, strict=True):
        if tensor.shape != given[0].shape or len(tensor.shape) != 1:
            raise OpError(f"{name} {tensor.type} must be a vector as long as begin")
    return list(zip(*(tensor.data.tolist() for tensor in given), strict=True))


def _taken(node: NodeView, i: int, axis: AxisSlice, begin: int, end: int, stride: int) -> AxisSlice:
    """Part of an axis by bounds number i, clamped; negative positions count from the end."""
    masks, size = {name: node.attributes[name] >> i & 1 for name in MASKS}, axis.count
    if not 0 < abs(stride) <= LARGEST:
        raise OpError(f"stride {stride} of bounds {i} is not supported")
    if masks["shrink_axis_mask"]:
        start = 0 if masks["begin_mask"] else begin if begin >= 0 else begin + size
        if stride < 0:  # TFLite does not write y then
            raise OpError(f"stride {stride} of bounds {i}, by which one position is taken")
        if not 0 <= start < size:
            raise OpError(f"position {begin} is not on an axis of {size}")
        return AxisSlice(start, 1, 1, axis.step, kept=False)
    begin_or_none = None if masks["begin_mask"] else begin
    start, stop, _ = slice(begin_or_none, None, stride).indices(size)
    if not masks["end_mask"]:
        _, stop, _ = slice(None, end + start * node.attributes["offset"], stride).indices(size)
    return AxisSlice(start, stride, len(range(start, stop, stride)), axis.step)


def turned(node: NodeView, axes: ImageAxes) -> Turned | None:
    """Strided slice of other axes of an image, without masks; dropped axes have size 1."""
    found, a = _axes(node), node.attributes
    bounds = [(each.start, each.start + each.stride * each.count, each.stride) for each in found]
    forward = all(each.stride > 0 for each in found)
    if a["new_axis_mask"] or a["ellipsis_mask"] or not forward or len(found) != len(axes):
        return None
    moved = np.tile(np.array([0, 1, 1], np.int32), (4, 1))
    moved[list(axes)] = bounds
    constants = {
        name: constant_of(node[name], numbers, i32)
        for name, numbers in zip(BOUNDS, moved.T, strict=True)
    }
    return Turned({**dict.fromkeys(MASKS, 0), "offset": False}, constants)


def rows(node: NodeView) -> RowWindow | None:
    """Window of rows: every stride-th row from one on, of which pixels are taken."""
    a, (*_, last) = node.attributes, MASKS
    plain = not (a["new_axis_mask"] or a["ellipsis_mask"] or a[last] or a["offset"])
    if not plain or len(node["x"].shape) != 4 or node["begin"].elements <= AXIS:
        return None
    taken, whole = _axes(node)[AXIS], {name: a[name] | 1 << AXIS for name in MASKS[:2]}
    return RowWindow(1, taken.stride, -taken.start, attributes=whole) if taken.stride > 0 else None


BOUNDS = ("begin", "end", "strides")
MASKS = ("begin_mask", "end_mask", "shrink_axis_mask")
OP = walk_through(
    "strided_slice",
    Rename("tflite.STRIDED_SLICE", versions=range(1, 9)),
    walk,
    Example.of(x=(7, 5), begin=[1, 3], end=[7, 0], strides=[2, -2], y=(3, 2)),
    attributes=(
        *(Attribute(name, int, default=0) for name in MASKS),
        Attribute("ellipsis_mask", int, default=0),
        Attribute("new_axis_mask", int, default=0),
        Attribute("offset", bool, default=False),
    ),
).with_hooks(Hooks(lines=turned, streaming=Streaming(rows)))
