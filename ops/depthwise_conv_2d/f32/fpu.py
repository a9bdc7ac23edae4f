"""DepthwiseConv2D of float32 by fpu.h: eight channels of a pixel at a time."""

from opsmith.op import *
from runtimes.families.convolution import geometry, pixel_overlap
from runtimes.families.depthwise import DEPTHWISE, multiplier
from runtimes.families.real_convolution import Params, Tables
from runtimes.families.window import inside_along, taps_inside

CHANNELS = 8  # of y that go together
PUT_PIXEL = 600  # bytes of code
CODE = Code(instance=150, general=560 + PUT_PIXEL, slowdown=1.12)
FILTERS = (1, 2)  # for each channel of x


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one filter or two for each channel, and at least eight outputs of a pixel."""
    if (filters := multiplier(node)) not in FILTERS:
        return Refused(f"{filters} filters for each channel, not one or two")
    if (channels := node["y"].shape[3]) < CHANNELS:
        return Refused(f"{channels} channels, fewer than {CHANNELS}")
    return Plan(
        DEPTHWISE.params(Params, node),
        partial(DEPTHWISE.params, Tables, node),
        overlap=partial(pixel_overlap, node, CHANNELS),
        code=replace(CODE, shared={f"fpu::put_pixel<{filters}>": PUT_PIXEL}),
    )


def cost(node: NodeView) -> float:
    """Cost of blocks of eight channels, and of rows of taps and taps inside the image."""
    batches, height, width, channels = node["y"].shape
    g = geometry(node)
    blocks, rows = -(-channels // CHANNELS), batches * width * inside_along(g.axes[0])
    of_block = batches * height * width * 125.0 + 9.0 * rows + 39.5 * taps_inside(g)
    return batches * height * width * 157.0 + blocks * of_block


FPU = Kernel("fpu", Params, plan, Tables, requires={"fpu"}, cost=cost, code=CODE)
KERNELS = (FPU,)
