"""Dilate: the elements of x at distances that `dilations` gives, with one value in between."""

from opsmith.op import *
from runtimes.families.axes import per_axis
from runtimes.families.movement import X, numbers
from runtimes.families.spread import SpreadAxis, spread

MOST_AXES = 6  # of x, in LiteRT


def along(node: NodeView) -> Sequence[SpreadAxis]:
    """Places of all elements of x in y, which is large enough."""
    x, dilations = node["x"], per_axis(node, "dilations")
    if min(dilations) < 1:
        raise OpError(f"dilations are {dilations}, which must be above 0")
    sizes = zip(x.shape, dilations, strict=True)
    return [SpreadAxis((size - 1) * step + 1, size, step=step) for size, step in sizes]


OP = spread(
    "dilate",
    Rename("tflite.DILATE"),
    along,
    "padding",
    inputs=(replace(X, rank=range(1, MOST_AXES + 1)), numbers("dilations"), Input("padding", "T")),
    examples=(Example.of(x=(2, 3), dilations=[1, 2], padding=(), y=(2, 5)),),
)
