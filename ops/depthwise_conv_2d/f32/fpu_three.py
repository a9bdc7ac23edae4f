"""DepthwiseConv2D of float32 by fpu_three.h: three neighbours, four channels each, at a time."""

from functools import partial

from opsmith.op import Code, Distance, Kernel, NodeView, Plan, Refused
from opsmith.op.overlap import pixel_distance, side_by_side
from opsmith.runtimes.families.convolution import geometry
from opsmith.runtimes.families.depthwise import DEPTHWISE, refused_multiplier
from opsmith.runtimes.families.real_convolution import Params, Tables
from opsmith.runtimes.families.window import image_walk

CHANNELS = 4  # that go together
THREE = 3  # neighbours in a row of y, and columns of the filter


def plan(node: NodeView) -> Plan | Refused:
    """Plan for filters of three rows and columns, where strides across are 1 or 2.

    One column of the filter may lie outside of the image on either side.
    """
    (_, height, width, _), a = node["filter"].shape, node.attributes
    if refused := refused_multiplier(node):
        return refused
    if (channels := node["x"].shape[3]) < CHANNELS:
        return Refused(f"{channels} channels, fewer than {CHANNELS}")
    if (height, width) != (THREE, THREE):
        return Refused(f"filter is {height}x{width}, not 3x3")
    if (dilation := a["dilation_width"]) != 1:
        return Refused(f"columns are dilated by {dilation}")
    if (stride := a["stride_width"]) > 2:
        return Refused(f"stride across is {stride}, not 1 or 2")
    g = geometry(node)
    outside = (g.output_width - 1) * g.stride_width - g.padding_left + THREE - g.input_width
    if g.padding_left > 1 or outside > 1:
        return Refused("more than a column of the filter lies outside of the image")
    return Plan(
        DEPTHWISE.params(Params, node),
        partial(DEPTHWISE.params, Tables, node),
        overlap=partial(overlap, node),
    )


def overlap(node: NodeView) -> dict[str, Distance]:
    """The windows of three pixels are read again for each four of their channels."""
    x, y = node["x"], node["y"]
    read, written = (tensor.shape[3] * tensor.dtype.size for tensor in (x, y))
    walk = side_by_side(image_walk(geometry(node)), y.shape[2], THREE)
    return {"x": pixel_distance(walk, read, written, CHANNELS * y.dtype.size)}


def cost(node: NodeView) -> float:
    """Instructions of strips, of which the last one of a row may be shorter."""
    batches, height, width, channels = node["y"].shape
    strips, last = divmod(width, THREE)
    of_row = strips * 350.0 + (95.0 + 85.0 * last if last else 0.0)
    return batches * height * -(-channels // CHANNELS) * of_row


FPU_THREE = Kernel(
    "fpu_three",
    Params,
    plan,
    Tables,
    requires={"fpu", "dsp"},
    cost=cost,
    code=Code(instance=1230, general=2100, slowdown=1.01),
)
KERNELS = (FPU_THREE,)
