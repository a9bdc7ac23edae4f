"""ReverseV2: the elements along some axes from the last to the first."""

from opsmith.op import *
from runtimes.families.axes import axis_of
from runtimes.families.walk import Walk, walk_through


def walk(node: NodeView) -> Walk:
    """Walk backward along the axes that `axis` names."""
    x, axis = node["x"], node["axis"]
    axes = [axis_of(given, x) for given in axis.data.reshape(-1).tolist()]
    if len(set(axes)) < len(axes):
        raise OpError(f"axis names {axes}, one of them twice")
    forward = enumerate(map(range, x.shape))
    return Walk.of_positions(x, [each[::-1] if i in axes else each for i, each in forward])


SOURCE = Rename("tflite.REVERSE_V2", versions=range(1, 5))
TYPES = (boolean, i8, i16, i32, i64, u8, f32)
EXAMPLE = Example.of(x=(4, 5), axis=[1], y=(4, 5))
OP = walk_through("reverse_v2", SOURCE, walk, EXAMPLE, types=TYPES)
