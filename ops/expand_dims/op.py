"""ExpandDims: the same elements with one more axis of size 1."""

from opsmith.op import *
from runtimes.families.axes import new_axis_of, one_axis
from runtimes.families.movement import moved_problems
from runtimes.families.view import reshaped


def shape(node: NodeView) -> tuple[int, ...]:
    """Shape of x with an axis of size 1 at the place that input `axis` names."""
    x = node["x"]
    place = new_axis_of(one_axis(node["axis"]), x)
    return (*x.shape[:place], 1, *x.shape[place:])


SOURCE = Rename("tflite.EXPAND_DIMS", versions=range(1, 2))
EXAMPLE = Example.of(x=(3, 2), axis=1, y=(3, 1, 2))
OP = reshaped("expand_dims", SOURCE, shape, EXAMPLE, check=moved_problems)
