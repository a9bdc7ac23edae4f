"""DepthwiseConv2D of uint8 by mve.h, for Helium: eight channels of a pixel at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import NOT_TO_THE_RIGHT, right_shifts
from runtimes.core.per_channel import bias_of
from runtimes.families.convolution import geometry, pixel_overlap
from runtimes.families.depthwise import DEPTHWISE, refused_multiplier
from runtimes.families.window import Geometry, taps_inside

from ..i16x8.mve import CHANNELS, WIDENED
from .params import AsymmetricFilters


@dataclass(frozen=True, kw_only=True)
class MveParams(AsymmetricFilters, Geometry):
    """Geometry, zero points, bounds of y, and the requantisation of all sums."""

    multiplier: int  # Q31
    shift: int  # power of two, below 0: to the right
    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True)
class MveTables:
    """Filter in the model's order, and biases in vectors of eight channels."""

    filter: NDArray[np.uint8]  # as the model has it
    bias: NDArray[np.int32]  # of eight channels at a time, in the order WIDENED


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one filter for each channel, and right shifts."""
    if refused := refused_multiplier(node):
        return refused
    requantization = right_shifts(node)
    if requantization is None:
        return Refused(NOT_TO_THE_RIGHT)
    multiplier, shift = (int(each[0]) for each in requantization)
    return Plan(
        DEPTHWISE.params(MveParams, node, multiplier=multiplier, shift=shift),
        partial(_tables, node),
        overlap=partial(pixel_overlap, node, CHANNELS),
    )


def _tables(node: NodeView) -> MveTables:
    bias: Array = bias_of(node)
    filled = np.pad(bias, (0, -len(bias) % CHANNELS)).reshape(-1, CHANNELS)
    return MveTables(node["filter"].data, np.ascontiguousarray(filled[:, WIDENED]))


def cost(node: NodeView) -> float:
    """Cycles of eight channels of each pixel, and of their taps inside the image."""
    batches, height, width, channels = node["y"].shape
    pixels = batches * height * width
    return -(-channels // CHANNELS) * (21.0 * taps_inside(geometry(node)) + 78.0 * pixels)


MVE = Kernel("mve", MveParams, plan, MveTables, requires={"mve"}, cost=cost)
KERNELS = (MVE,)
