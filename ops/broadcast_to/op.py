"""BroadcastTo: a tensor repeated along axes of size 1, and along further ones in front."""

from opsmith.op import *
from runtimes.families.broadcast import broadcast_shape, broadcast_strides
from runtimes.families.movement import X, numbers
from runtimes.families.walk import Walk, walk_through


def walk(node: NodeView) -> Walk:
    """Walk through x with step 0 along axes that repeat."""
    x, y = node["x"], tuple(node["shape"].data.reshape(-1).tolist())
    if min(y, default=0) < 0 or broadcast_shape(x.shape, y) != y:
        raise OpError(f"x {x.type} does not broadcast to {y}")
    return Walk(0, tuple(zip(y, broadcast_strides(x.shape, y), strict=True)))


SOURCE = Rename("tflite.BROADCAST_TO", versions=range(2, 5))
INPUTS = (X, numbers("shape", shape_of="y"))
EXAMPLE = Example.of(x=(3, 1), shape=[2, 3, 4], y=(2, 3, 4))
OP = walk_through("broadcast_to", SOURCE, walk, EXAMPLE, inputs=INPUTS)
