"""DepthwiseConv2D of float32 by int8 filters by mve.h, for Helium: sixteen channels at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_dynamic_range import (
    RANGED,
    REALS,
    real_bounds,
    real_fours,
    refused_constants,
)
from runtimes.cmsis.mve_packing import VECTOR
from runtimes.families.convolution import geometry
from runtimes.families.depthwise import DEPTHWISE, refused_multiplier
from runtimes.families.dynamic_range import image_overlap, real_rows

WALK = {"convolve, of reals": 388, "sums_of_row, of taps": 512}  # bytes
CYCLES = 1.4  # of a Cortex-M55, by instructions
LONGEST = 128  # elements of y from a vector to the next with its weights


@dataclass(frozen=True)
class MveParams:
    """Empty params: everything is in tables, so that nodes share the code."""


@dataclass(frozen=True)
class MveSizes:
    """Sizes of images, and of one with its border. Steps are in bytes."""

    batches: int
    input_height: int
    input_width: int
    channels: int
    output_height: int
    output_width: int
    stride_height: int
    run: bool  # vectors go through a row of y, not through the channels of each pixel
    period: int  # elements of y from a vector to the next with its weights
    step: int
    odd: bool  # the first tap has no pair
    pairs: int  # of taps
    rows: int  # of the image, that some window reads
    row_size: int  # elements of each, from its first
    bordered: int  # bytes of an image with its border
    first: int  # place of the image in it
    pitch: int  # of its rows


@dataclass(frozen=True)
class MveTables:
    """Sizes, taps, filter, and constants."""

    sizes: MveSizes
    taps: NDArray[np.int32]  # place of each that has a pair, from that of the first tap
    weights: NDArray[np.int8]  # [period / 16][taps][16]
    constants: NDArray[np.int32]  # as real_fours() makes them
    bounds: NDArray[np.float32]  # as real_bounds() makes them


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one filter for each channel, usual scales, and products that add up in 16 bits."""
    if refused := refused_multiplier(node) or refused_constants(real_rows(DEPTHWISE, node)):
        return refused
    if np.any(node["filter"].data == i8.limits[0]):
        return Refused("a weight is -128, and two of its products may not fit 16 bits")
    image = sizes(node).bordered + VECTOR  # the last vector reads beyond
    overlap = partial(image_overlap, node)
    return Plan(MveParams(), partial(_tables, node), {"image": image}, overlap)


def sizes(node: NodeView) -> MveSizes:
    """Sizes of the image and of one with the border that windows read."""
    g = geometry(node)
    channels = g.input_channels
    run = g.stride_width == 1 and math.lcm(channels, VECTOR) <= LONGEST
    height = (g.output_height - 1) * g.stride_height + (g.filter_height - 1) * g.dilation_height + 1
    width = (g.output_width - 1) * g.stride_width + (g.filter_width - 1) * g.dilation_width + 1
    return MveSizes(
        g.batches,
        g.input_height,
        g.input_width,
        channels,
        g.output_height,
        g.output_width,
        g.stride_height,
        run,
        math.lcm(channels, VECTOR) if run else channels,
        math.lcm(channels, VECTOR) if run else g.stride_width * channels,
        g.filter_height * g.filter_width % 2 == 1,
        g.filter_height * g.filter_width // 2,
        max(min(g.input_height, height - g.padding_top), 0),
        max(min(g.input_width, width - g.padding_left), 0) * channels,
        height * width * channels,
        (g.padding_top * width + g.padding_left) * channels,
        width * channels,
    )


def _tables(node: NodeView) -> MveTables:
    g, found, rows = geometry(node), sizes(node), real_rows(DEPTHWISE, node)
    lines = np.arange(g.filter_height) * g.dilation_height * found.pitch
    columns = np.arange(g.filter_width) * g.dilation_width * found.channels
    taps = (lines[:, None] + columns).reshape(-1).astype(np.int32)
    filters = node["filter"].data.reshape(len(taps), -1)
    vectors = -(-found.period // VECTOR)
    filled = np.zeros((len(taps), vectors * VECTOR), np.int8)
    filled[:, : found.period] = np.tile(filters, found.period // found.channels)
    return MveTables(
        found,
        taps[len(taps) % 2 :],
        np.ascontiguousarray(filled.reshape(len(taps), vectors, VECTOR).swapaxes(0, 1)),
        real_fours(rows),
        real_bounds(rows, real_clamp_range(node)),
    )


def cost(node: NodeView) -> float:
    """Cycles of pairs of taps, of outputs, and of quantising rows."""
    g = sizes(node)
    pixel = 23 * g.pairs + 42
    elements = g.output_width * g.channels
    if g.run:
        blocks = -(-elements // VECTOR) * pixel + 30 * (elements % VECTOR > 0)
    else:
        partly = 30 * (g.channels % VECTOR > 0)
        blocks = g.output_width * (-(-g.channels // VECTOR) * pixel + partly)
    outputs = -(-g.channels // 4) * (12 + 9 * g.output_width) + 80
    rows = g.batches * (g.output_height * (blocks + outputs) + g.rows * 30 + 300)
    return CYCLES * (rows + 2.4 * node["x"].elements + g.bordered / 8)


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    scratch={"image": i8},
    requires={"mve", "mve_float"},
    copies=("memcpy",),
    cost=cost,
    code=Code(18, general=18 + 2246, shared=RANGED | REALS | WALK),
    pixels=0,
)
KERNELS = (MVE,)
