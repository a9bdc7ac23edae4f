"""Images resized to another height and width: facts that resizing ops share."""

from opsmith.op import *
from runtimes.families.movement import X, numbers

MAX_SIZE = 1 << 16  # pixels along an axis, 1/1024 of which kernels count in 32 bits
INPUTS = (replace(X, rank=4), numbers("size"))
ATTRIBUTES = (
    Attribute("align_corners", bool, default=False),
    Attribute("half_pixel_centers", bool, default=False),
)


def sizes(node: NodeView) -> list[tuple[int, int]]:
    """(before, after) of height and of width. Raises OpError for sizes out of range."""
    x, size = node["x"], node["size"]
    if size.shape != (2,) or (size.data < 1).any():
        raise OpError(f"size {size.data.tolist()} must be a height and a width of at least 1")
    found = list(zip(x.shape[1:3], size.data.tolist(), strict=True))
    if max(map(max, found)) > MAX_SIZE:
        raise OpError(f"x {x.type} or size {size.data.tolist()} exceeds {MAX_SIZE} pixels")
    return found


def shape(node: NodeView) -> tuple[int, ...]:
    """Shape of x with the new height and width."""
    (_, height), (_, width) = sizes(node)
    return node["x"].shape[0], height, width, node["x"].shape[3]


def scale(node: NodeView, before: int, after: int) -> np.float32:
    """Pixels of x from one pixel of y to the next, in TFLite's single precision."""
    corners = int(node.attributes["align_corners"] and after > 1)
    return np.float32(before - corners) / np.float32(after - corners)
