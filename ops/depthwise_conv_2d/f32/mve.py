"""DepthwiseConv2D of float32 by mve.h, for Helium: four channels of a pixel at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_real_rows import LANES, ROW_OF_REALS, refused_weights
from runtimes.families.convolution import pixel_overlap
from runtimes.families.depthwise import DEPTHWISE, refused_multiplier
from runtimes.families.real_convolution import Params, Tables

TAPS = {"mve::real::put_products": 544, "mve::real::added_taps": 220}  # bytes of functions
CODE = Code(instance=690, general=1010 + 848, shared=TAPS | ROW_OF_REALS)


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one filter per channel, and weights whose products Helium does not flush to zero."""
    return (
        refused_multiplier(node)
        or refused_weights(node["filter"].data)
        or Plan(
            DEPTHWISE.params(Params, node),
            partial(DEPTHWISE.params, Tables, node),
            overlap=partial(pixel_overlap, node, LANES),
        )
    )


def cost(node: NodeView) -> float:
    """Cycles of blocks of four vectors, and of the vectors left."""
    _, rows, columns, channels = node["filter"].shape
    blocks, left = divmod(channels, 4 * LANES)
    of_pixel = blocks * (150.0 + 18 * rows * columns)
    of_pixel += -(-left // LANES) * (130.0 + 9 * rows * columns)
    return node["y"].elements / channels * of_pixel


MVE = Kernel("mve", Params, plan, Tables, requires={"mve_float"}, cost=cost, code=CODE)
KERNELS = (MVE,)
