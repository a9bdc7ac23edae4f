"""Split: a tensor taken apart along an axis, into equal parts."""

from opsmith.op import *
from runtimes.families.axes import given_axis
from runtimes.families.side_by_side import split


def sizes(node: NodeView) -> list[int]:
    """Sizes of equal parts of x, one for each output."""
    x, at, count = node["x"], given_axis(node), len(node.variadic("y"))
    if x.shape[at] % count:
        raise OpError(f"axis {at} of x {x.type} does not divide into {count} parts")
    return [x.shape[at] // count] * count


SOURCE = Rename("tflite.SPLIT", versions=range(1, 6))
EXAMPLE = Example.of({"num_splits": 2}, axis=1, x=(2, 6), y=[(2, 3)] * 2)
OP = split("split", SOURCE, sizes, EXAMPLE)
