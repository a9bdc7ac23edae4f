"""Unpack: a tensor taken apart along an axis, which its parts no longer have."""

from opsmith.op import *
from runtimes.families.axes import resized, stated_axis
from runtimes.families.movement import moved_problems
from runtimes.families.side_by_side import taken_apart


def shapes(node: NodeView) -> list[tuple[int, ...]]:
    """Shapes of the parts: one for each position of the axis."""
    x, at, num = node["x"], stated_axis(node), node.attributes["num"]
    count = len(node.variadic("y"))
    if not num == x.shape[at] == count:
        raise OpError(f"num is {num} for axis {at} of x {x.type} and {count} outputs")
    return [resized(x.shape, at)] * count


OP = taken_apart(
    "unpack",
    Rename("tflite.UNPACK", versions=range(1, 7)),
    stated_axis,
    shapes,
    Example.of({"axis": 0, "num": 2}, x=(2, 6), y=[(6,)] * 2),
    types=(i8, i16, i32, u8, boolean, f32),
    check=moved_problems,
    attributes=(Attribute("axis", int, default=0), Attribute("num", int)),
)
