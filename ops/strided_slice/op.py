"""StridedSlice: every so many elements between two positions, along each axis."""

from __future__ import annotations

from dataclasses import dataclass

from runtimes.families.axes import strides
from runtimes.families.broadcast import MAX_RANK
from runtimes.families.movement import X, example, numbers
from runtimes.families.walk import Walk, walk_through
from toolchain.op import Attribute, NodeView, OpError, Rename

LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Axis:
    """What is taken of one axis."""

    start: int
    stride: int
    count: int
    kept: bool  # whether y has the axis, too


def shape(node: NodeView) -> tuple[int, ...]:
    """What is taken of each axis that is kept."""
    axes = _axes(node)
    if any(axis.count == 0 for axis in axes):
        raise OpError("nothing is taken of an axis")
    return tuple(axis.count for axis in axes if axis.kept)


def _axes(node: NodeView) -> list[Axis]:
    x = node["x"]
    if len(x.shape) > MAX_RANK:
        raise OpError(f"x {x.type} has more than {MAX_RANK} dimensions")
    for name in ("ellipsis_mask", "new_axis_mask", "offset"):
        if node.attributes[name]:
            raise OpError(f"{name} is {node.attributes[name]}; only 0 is supported")
    given = [node[name] for name in BOUNDS]
    for name, tensor in zip(BOUNDS, given, strict=True):
        if tensor.shape != given[0].shape or len(tensor.shape) != 1:
            raise OpError(f"{name} {tensor.type} must be a vector as long as begin")
    if given[0].elements > len(x.shape):
        raise OpError(f"begin {given[0].type} has more elements than x {x.type} has dimensions")
    bounds = zip(*(tensor.data.tolist() for tensor in given), strict=True)
    taken = [_axis(node, i, *each) for i, each in enumerate(bounds)]
    return taken + [Axis(0, 1, size, True) for size in x.shape[len(taken) :]]


def _axis(node: NodeView, i: int, begin: int, end: int, stride: int) -> Axis:
    """Negative positions count from the end, and end where the axis does."""
    masks = {name: node.attributes[name] >> i & 1 for name in MASKS}
    size = node["x"].shape[i]
    if not 0 < abs(stride) <= LARGEST:
        raise OpError(f"stride {stride} along axis {i} is not supported")
    if masks["shrink_axis_mask"]:
        start = 0 if masks["begin_mask"] else begin if begin >= 0 else begin + size
        if stride < 0:  # of which TFLite leaves y as it was
            raise OpError(f"stride {stride} along axis {i}, of which one position is taken")
        if not 0 <= start < size:
            raise OpError(f"position {begin} is not on axis {i} of {size}")
        return Axis(start, 1, 1, False)
    begin_or_none = None if masks["begin_mask"] else begin
    end_or_none = None if masks["end_mask"] else end
    positions = range(*slice(begin_or_none, end_or_none, stride).indices(size))
    return Axis(positions.start, stride, len(positions), True)


def walk(node: NodeView) -> Walk:
    """Through what is taken of each axis."""
    axes = list(zip(_axes(node), strides(node["x"].shape), strict=True))
    first = sum(axis.start * step for axis, step in axes)
    return Walk(first, tuple((axis.count, axis.stride * step) for axis, step in axes))


BOUNDS = ("begin", "end", "strides")
MASKS = ("begin_mask", "end_mask", "shrink_axis_mask")
OP = walk_through(
    "strided_slice",
    Rename("tflite.STRIDED_SLICE", versions=range(1, 9)),
    shape,
    walk,
    inputs=(X, *map(numbers, BOUNDS)),
    example=example(x=(7, 5), begin=[1, 3], end=[7, 0], strides=[2, -2], y=(3, 2)),
    attributes=(
        *(Attribute(name, int, default=0) for name in MASKS),
        Attribute("ellipsis_mask", int, default=0),
        Attribute("new_axis_mask", int, default=0),
        Attribute("offset", bool, default=False),
    ),
)
