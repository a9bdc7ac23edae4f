"""Slice: the neighbours from a position on, along each axis."""

from opsmith.op import *
from runtimes.families.axes import per_axis, turned_constants
from runtimes.families.movement import X, numbers
from runtimes.families.walk import Walk, walk_through


def walk(node: NodeView) -> Walk:
    """Walk through neighbours from `begin` on: `size` of them or, for -1, all that follow."""
    x, positions = node["x"], []
    given = zip(x.shape, per_axis(node, "begin"), per_axis(node, "size"), strict=True)
    for axis, (length, begin, size) in enumerate(given):
        end = length if size == -1 else begin + size
        if not 0 <= begin <= end <= length:
            raise OpError(f"axis {axis} of x {x.type} has no {size} elements from {begin} on")
        positions.append(range(begin, end))
    return Walk.of_positions(x, positions)


def turned(node: NodeView, axes: ImageAxes) -> Turned:
    """Slice of other axes of an image."""
    begin, size = (per_axis(node, "begin"), 0), (node["y"].shape, 1)
    return Turned(constants=turned_constants(node, axes, begin=begin, size=size))


SOURCE = Rename("tflite.SLICE", versions=range(1, 9), as_stored=True)
INPUTS = (X, numbers("begin"), numbers("size", shape_of="y"))
EXAMPLE = Example.of(x=(4, 5), begin=[1, 2], size=[2, -1], y=(2, 3))
OP = walk_through("slice", SOURCE, walk, EXAMPLE, inputs=INPUTS).with_hooks(Hooks(lines=turned))
