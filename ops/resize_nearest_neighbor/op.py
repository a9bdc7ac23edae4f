"""ResizeNearestNeighbor: an image in another size, each pixel the nearest one of x."""

from opsmith.op import *
from runtimes.families.resize import ATTRIBUTES, INPUTS, scale, sizes
from runtimes.families.take import Positions, taken


def positions(node: NodeView) -> Positions:
    """Rows and columns of x nearest to each of y."""
    x = node["x"].shape
    return [np.arange(x[0]), *(_nearest(node, *each) for each in sizes(node)), np.arange(x[3])]


def _nearest(node: NodeView, before: int, after: int) -> NDArray[np.int64]:
    """Nearest positions along an axis, from TFLite's float places (resize_nearest_neighbor.h)."""
    offset = np.float32(0.5 if node.attributes["half_pixel_centers"] else 0.0)
    places = (np.arange(after).astype(np.float32) + offset) * scale(node, before, after)
    up = node.attributes["align_corners"] & (places % 1 >= 0.5)  # without a sum in float
    return np.asarray(np.minimum(places.astype(np.int64) + up, before - 1))


OP = taken(
    "resize_nearest_neighbor",
    Rename("tflite.RESIZE_NEAREST_NEIGHBOR", versions=range(1, 5)),
    positions,
    Example.of(x=(1, 2, 3, 4), size=[4, 6], y=(1, 4, 6, 4)),
    (boolean, i8, i16, i32, u8, u16, u32, f32),
    inputs=INPUTS,
    attributes=ATTRIBUTES,
)
