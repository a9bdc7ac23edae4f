"""Groups of pixels and blocks of channels of convolutions, and what gathering windows costs."""

from opsmith.op.view import NodeView
from runtimes.families.convolution import CONVOLUTION, groups

PIXELS = 4  # that are computed together


def pixels(node: NodeView) -> int:
    """Pixels of all images of y."""
    return node["y"].elements // node["y"].shape[3]


def groups_of_pixels(node: NodeView, size: int = PIXELS) -> int:
    """Groups of N pixels, full or not, of all images of y."""
    batches, height, width, _ = node["y"].shape
    return batches * -(-height * width // size)


def blocks(node: NodeView, channels: int) -> int:
    """Blocks of N channels of y, full or not, of all groups."""
    return groups(node) * -(-node["y"].shape[3] // groups(node) // channels)


def gathered(node: NodeView, per_input: float) -> float:
    """Cost of windows that are copied, by rows or, of each of several groups, by taps."""
    _, height, width, _ = node["filter"].shape
    count, inputs = groups(node), CONVOLUTION.inputs(node)
    of_taps = 5.0 * height * width if count > 1 else 0.0
    return pixels(node) * count * (per_input * inputs + of_taps)
