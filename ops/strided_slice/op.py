"""StridedSlice: every so many elements between two positions, along each axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from runtimes.families.broadcast import MAX_RANK
from runtimes.families.movement import (
    EVERY_TYPE,
    Walk,
    gathered,
    merged_walk,
    moved,
    moved_problems,
    part_of,
)
from toolchain.op import (
    Array,
    Attribute,
    Channels,
    Example,
    ExampleTensor,
    Hooks,
    Input,
    Masks,
    NodeView,
    Op,
    OpError,
    Output,
    Range,
    Ranges,
    Rename,
    TensorType,
    Views,
    i8,
    i32,
)
from toolchain.op.channels import all_live, channels_of, tied

LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Axis:
    """What is taken of one axis."""

    start: int
    stride: int
    count: int
    kept: bool  # whether y has the axis, too


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: what is taken of each axis that is kept."""
    axes = _axes(node)
    if any(axis.count == 0 for axis in axes):
        raise OpError("nothing is taken of an axis")
    return [TensorType(node["x"].dtype, tuple(axis.count for axis in axes if axis.kept))]


def check(node: NodeView) -> Iterator[str]:
    """Elements are copied as they are."""
    return moved_problems([node["y"]], node["x"], "y must be quantised as x is")


def _axes(node: NodeView) -> list[Axis]:
    x = node["x"]
    if len(x.shape) > MAX_RANK:
        raise OpError(f"x {x.type} has more than {MAX_RANK} dimensions")
    for name in ("ellipsis_mask", "new_axis_mask", "offset"):
        if node.attributes[name]:
            raise OpError(f"{name} is {node.attributes[name]}; only 0 is supported")
    given = [node[name] for name in ("begin", "end", "strides")]
    for name, tensor in zip(("begin", "end", "strides"), given, strict=True):
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
    """Through x along the axes of y."""
    first, inner = 0, 1
    axes: list[tuple[int, int]] = []
    for axis, size in reversed([*zip(_axes(node), node["x"].shape, strict=True)]):
        first += axis.start * inner
        axes.append((axis.count, axis.stride * inner))
        inner *= size
    return merged_walk(first, axes)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The slice in numpy."""
    axes = _axes(node)
    parts = [[axis.start + i * axis.stride for i in range(axis.count)] for axis in axes]
    found = inputs[0]
    for i, part in enumerate(parts):
        found = found.take(part, i)
    return [found.reshape(node["y"].shape)]


def part(node: NodeView) -> int | None:
    """Where no element between the first and the last is left out."""
    return part_of(walk(node), node["x"])


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The ranges of the channels that are taken."""
    x, last = ranges[node["x"].id], _channels(node)
    taken = [last.start + i * last.stride for i in range(last.count)]
    found = Range(x.low[taken], x.high[taken])
    if not last.kept:  # another axis becomes that of channels
        found = Range(found.low.min(keepdims=True), found.high.max(keepdims=True))
    return [found.spread(channels_of(node["y"]))]


def _channels(node: NodeView) -> Axis:
    """What is taken of the last axis; a scalar has one channel."""
    return (_axes(node) or [Axis(0, 1, 1, True)])[-1]


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Where all channels are taken each is a slice by itself; else they stay as they are."""
    x, y = node["x"], node["y"]
    whole = _channels(node) == Axis(0, 1, channels_of(x), True)
    return tied((x, y), live) if whole else all_live((x, y))


def identity(node: NodeView) -> bool:
    """Where all is taken in order."""
    whole = [Axis(0, 1, size, True) for size in node["x"].shape]
    return _axes(node) == whole


MASKS = ("begin_mask", "end_mask", "shrink_axis_mask")
OP = Op(
    name="strided_slice",
    legalize=(Rename("tflite.STRIDED_SLICE", versions=range(1, 9)),),
    inputs=(
        Input("x", "T"),
        Input("begin", i32, constant=True),
        Input("end", i32, constant=True),
        Input("strides", i32, constant=True),
    ),
    outputs=(Output("y", "T"),),
    attributes=(
        *(Attribute(name, int, default=0) for name in MASKS),
        Attribute("ellipsis_mask", int, default=0),
        Attribute("new_axis_mask", int, default=0),
        Attribute("offset", bool, default=False),
    ),
    variants=moved(gathered(walk), *EVERY_TYPE),
    infer=infer,
    check=check,
    evaluate=evaluate,
    hooks=Hooks(
        channels=Channels(ranges=value_range, live=live_channels),
        views=Views(part=part, identity=identity),
    ),
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (7, 5), scale=0.5),
                "begin": ExampleTensor(i32, (2,), data=np.array([1, 3])),
                "end": ExampleTensor(i32, (2,), data=np.array([7, 0])),
                "strides": ExampleTensor(i32, (2,), data=np.array([2, -2])),
                "y": ExampleTensor(i8, (3, 2), scale=0.5),
            }
        ),
    ),
)
