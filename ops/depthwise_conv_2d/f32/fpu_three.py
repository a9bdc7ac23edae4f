"""DepthwiseConv2D of float32 by fpu_three.h: three neighbours, four channels each, at a time."""

from opsmith.op import *
from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.real_convolution import Params, Tables

from .strips import refused_strips, strip_overlap

CHANNELS = 4  # that go together
PIXELS = 3  # neighbours in a row of y


def plan(node: NodeView) -> Plan | Refused:
    """Plan for filters of three rows and columns, with strides of 1 or 2 along rows."""
    return refused_strips(node, CHANNELS, 1, 2) or Plan(
        DEPTHWISE.params(Params, node),
        partial(DEPTHWISE.params, Tables, node),
        overlap=partial(strip_overlap, node, PIXELS, CHANNELS),
    )


def cost(node: NodeView) -> float:
    """Instructions of strips, of which the last in a row may be shorter."""
    batches, height, width, channels = node["y"].shape
    strips, last = divmod(width, PIXELS)
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
