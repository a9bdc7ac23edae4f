"""Slice: the neighbours from a position on, along each axis."""

from __future__ import annotations

from runtimes.families.axes import strides
from runtimes.families.movement import X, example, numbers
from runtimes.families.walk import Walk, walk_through
from toolchain.op import NodeView, OpError, Rename


def shape(node: NodeView) -> tuple[int, ...]:
    """As `size` says, where -1 stands for all that follow."""
    x, sizes = node["x"], []
    for name in ("begin", "size"):
        if node[name].shape != (len(x.shape),):
            raise OpError(f"{name} {node[name].type} must have one number per axis of x {x.type}")
    given = zip(x.shape, _begin(node), node["size"].data.tolist(), strict=True)
    for axis, (length, begin, size) in enumerate(given):
        sizes.append(length - begin if size == -1 else size)
        if begin < 0 or sizes[-1] < 0 or begin + sizes[-1] > length:
            raise OpError(f"axis {axis} of x {x.type} has no {size} elements from {begin} on")
    return tuple(sizes)


def _begin(node: NodeView) -> list[int]:
    begin: list[int] = node["begin"].data.tolist()
    return begin


def walk(node: NodeView) -> Walk:
    """Through the neighbours along each axis."""
    steps = strides(node["x"].shape)
    first = sum(begin * step for begin, step in zip(_begin(node), steps, strict=True))
    return Walk(first, tuple(zip(shape(node), steps, strict=True)))


OP = walk_through(
    "slice",
    Rename("tflite.SLICE", versions=range(1, 9), as_stored=True),
    shape,
    walk,
    inputs=(X, numbers("begin"), numbers("size", shape_of="y")),
    example=example(x=(4, 5), begin=[1, 2], size=[2, -1], y=(2, 3)),
)
