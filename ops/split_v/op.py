"""SplitV: a tensor taken apart along an axis, into parts of given sizes."""

from opsmith.op import *
from runtimes.families.axes import given_axis
from runtimes.families.side_by_side import split


def sizes(node: NodeView) -> list[int]:
    """Sizes of the parts; one that is -1 gets the positions that others leave."""
    x, at, count = node["x"], given_axis(node), len(node.variadic("y"))
    found: list[int] = node["sizes"].data.reshape(-1).tolist()
    if len(found) != count:
        raise OpError(f"num_splits is {count} and sizes {found} for {count} outputs")
    if found.count(-1) == 1:
        found[found.index(-1)] = x.shape[at] - sum(found) - 1
    if min(found) < 0 or sum(found) != x.shape[at]:
        raise OpError(f"axis {at} of x {x.type} does not divide into {found}")
    return found


SOURCE = Rename("tflite.SPLIT_V", versions=range(1, 4))
EXAMPLE = Example.of({"num_splits": 2}, x=(2, 6), sizes=[3, -1], axis=1, y=[(2, 3)] * 2)
OP = split("split_v", SOURCE, sizes, EXAMPLE)
