"""Strips of neighbours in a row of y, for float32 kernels of DepthwiseConv2D."""

from opsmith.op import Distance, NodeView, Refused
from opsmith.op.overlap import pixel_distance, side_by_side
from runtimes.families.convolution import geometry
from runtimes.families.depthwise import refused_multiplier
from runtimes.families.window import image_walk

THREE = 3  # rows and columns of the filter


def refused_strips(node: NodeView, channels: int, *strides: int) -> Refused | None:
    """Reason against a node without strips of `channels` channels and pixels that are `strides`
    columns apart.

    At either side, one column of the filter may lie outside the image.
    """
    (_, height, width, _), a = node["filter"].shape, node.attributes
    if refused := refused_multiplier(node):
        return refused
    if (found := node["x"].shape[3]) < channels:
        return Refused(f"{found} channels, fewer than {channels}")
    if (height, width) != (THREE, THREE):
        return Refused(f"filter is {height}x{width}, not 3x3")
    if (dilation := a["dilation_width"]) != 1:
        return Refused(f"columns are dilated by {dilation}")
    if (across := a["stride_width"]) not in strides:
        return Refused(f"stride across is {across}, not {' or '.join(map(str, strides))}")
    g = geometry(node)
    outside = (g.output_width - 1) * g.stride_width - g.padding_left + THREE - g.input_width
    if g.padding_left > 1 or outside > 1:
        return Refused("more than a column of the filter lies outside of the image")
    return None


def strip_overlap(node: NodeView, pixels: int, channels: int) -> dict[str, Distance]:
    """Distance for windows of `pixels` pixels read again for each `channels` channels."""
    x, y = node["x"], node["y"]
    read, written = (tensor.shape[3] * tensor.dtype.size for tensor in (x, y))
    walk = side_by_side(image_walk(geometry(node)), y.shape[2], pixels)
    return {"x": pixel_distance(walk, read, written, channels * y.dtype.size)}
