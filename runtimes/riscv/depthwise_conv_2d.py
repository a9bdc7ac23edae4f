"""DEPTHWISE_CONV_2D of int8: channels in the lanes of vectors, up to three pixels at a time."""

from opsmith.op import *
from opsmith.op.overlap import pixel_distance, side_by_side
from runtimes.families.convolution import geometry
from runtimes.families.depthwise import DEPTHWISE, refused_multiplier
from runtimes.families.layer import Quantized
from runtimes.families.window import Geometry, image_walk
from runtimes.riscv.requantization import PIXELS, fixed_point, strips


@dataclass(frozen=True, kw_only=True)
class Params(Quantized, Geometry):
    """Geometry of one filter for each channel, zero points, and bounds of y."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True)
class TapsByChannel:
    """Filter, and requantisation constants by constants."""

    filter: NDArray[np.int16]  # [tap][channel]
    constants: NDArray[np.int32]  # [constant][channel]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one filter for each channel; Refused for others."""
    if refused := refused_multiplier(node):
        return refused
    params = DEPTHWISE.params(Params, node)
    return Plan(params, partial(tables, node), overlap=partial(overlap, node, params))


def tables(node: NodeView) -> TapsByChannel:
    """Weights of 16 bits by taps, and Q31 multipliers."""
    weights = node["filter"].data[0].astype(np.int16)
    return TapsByChannel(weights, fixed_point(DEPTHWISE, node, origin=node["x"].zero_point))


def overlap(node: NodeView, params: Geometry) -> Mapping[str, Distance]:
    """Distances for groups of neighbours, whose windows are read again for each strip of
    channels.
    """
    walk = side_by_side(image_walk(params), params.output_width, PIXELS)
    return {"x": pixel_distance(walk, params.input_channels, params.input_channels)}


def cost(node: NodeView) -> float:
    """Cost of pixels, three at a time between the borders, and of strips of channels, in
    instructions of vectors of 128 bits.
    """
    p, taps, count = geometry(node), DEPTHWISE.inputs(node), strips(node["x"].shape[3])
    first = -(-p.padding_left // p.stride_width)
    reach = (p.filter_width - 1) * p.dilation_width
    end = (p.input_width - 1 - reach + p.padding_left) // p.stride_width + 1
    threes = max(min(end, p.output_width) - first, 0) // PIXELS
    of_three = 100.0 + count * (100.0 + 19.0 * taps)
    of_one = 90.0 + count * (70.0 + 9.0 * taps)
    rows = p.batches * p.output_height
    return rows * (threes * of_three + (p.output_width - PIXELS * threes) * of_one)


RVV = Kernel(
    "rvv",
    Params,
    plan,
    TapsByChannel,
    requires={"zve32x"},
    cost=cost,
    pixels=PIXELS,
)
KERNELS = (KernelsFor({"T": i8, "F": i8, "B": i32}, (RVV,)),)
