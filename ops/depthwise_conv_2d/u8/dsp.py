"""DepthwiseConv2D of uint8 by dsp.h: four neighbouring channels of a pixel at a time."""

from opsmith.op import *
from runtimes.core.accumulator import accumulator_bounds
from runtimes.core.double_rounding import LARGEST_SHIFT, LARGEST_SUM
from runtimes.core.per_channel import bias_of, channel_multipliers
from runtimes.families.convolution import pixel_overlap
from runtimes.families.depthwise import DEPTHWISE, refused_multiplier
from runtimes.families.window import Geometry

from .params import AsymmetricFilters

CHANNELS = 4  # of a pixel that the kernel computes before it writes any of them


@dataclass(frozen=True, kw_only=True)
class DspParams(AsymmetricFilters, Geometry):
    """Geometry, zero points, bounds of y, and the requantisation of all sums."""

    multiplier: int  # Q31
    shift: int  # to the right, at least 1
    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True)
class DspTables:
    """Filter and biases in the model's order."""

    filter: NDArray[np.uint8]
    bias: NDArray[np.int32]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for a block of channels, and one filter for each channel."""
    if refused := refused_multiplier(node):
        return refused
    if (channels := node["x"].shape[3]) < CHANNELS:
        return Refused(f"{channels} channels, fewer than {CHANNELS}")
    multiplier, shift = (int(each[0]) for each in channel_multipliers(node))
    if not 1 <= -shift <= LARGEST_SHIFT:
        return Refused(f"sums are shifted to the right by {-shift}, not 1 to {LARGEST_SHIFT}")
    bounds = accumulator_bounds(node["x"], DEPTHWISE.lifted_rows(node), bias_of(node))
    if bounds.max() >= LARGEST_SUM:
        return Refused("a sum may have more than 30 bits")
    return Plan(
        DEPTHWISE.params(DspParams, node, multiplier=multiplier, shift=-shift),
        partial(DEPTHWISE.params, DspTables, node),
        overlap=partial(pixel_overlap, node, CHANNELS),
    )


DSP = Kernel("dsp", DspParams, plan, DspTables, requires={"dsp"}, cost=DEPTHWISE.cost(3.3, 30.0))
KERNELS = (DSP,)
