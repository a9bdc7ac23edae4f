"""DepthwiseConv2D of int8 by mve_pixel.h, for Helium: y is one pixel."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import (
    NOT_TO_THE_RIGHT,
    OwnSixteenChannels,
    SixteenChannels,
    channel_blocks,
    own_blocks,
    own_shifts,
    right_shifts,
)
from runtimes.core.per_channel import folded_bias
from runtimes.families.convolution import filter_padding
from runtimes.families.depthwise import DEPTHWISE, refused_multiplier
from runtimes.families.owning import owning

from .mve_lines import CYCLES

# Channels of the vectors that VMULLB, VMULLT and then VMOVLB, VMOVLT make of sixteen.
WIDENED = np.array([0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15])


@dataclass(frozen=True)
class MveParams:
    """Empty params: everything is in tables, so that nodes share the code."""


@dataclass(frozen=True)
class OwnPixelParams(MveParams):
    """Empty params of nodes in which some channels are shifted left."""


@dataclass(frozen=True)
class PixelGeometry:
    """Taps inside the image. Steps are in bytes."""

    batches: int
    channels: int
    input_bytes: int  # of an image
    rows: int
    columns: int
    first: int  # in the image
    row_step: int
    column_step: int
    first_weight: int
    weight_row_step: int
    weight_column_step: int
    output_zero_point: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class PixelTables:
    """Taps, filter, and requantisation in blocks of sixteen channels."""

    geometry: PixelGeometry
    filter: NDArray[np.int8]  # [filter_height][filter_width][channels]
    requantization: tuple[SixteenChannels, ...]  # in the order WIDENED


@dataclass(frozen=True)
class OwnPixelTables:
    """Taps, filter, and requantisation in blocks of channels that may shift left."""

    geometry: PixelGeometry
    filter: NDArray[np.int8]
    requantization: tuple[OwnSixteenChannels, ...]


def plan(node: NodeView, params: type[MveParams] = MveParams) -> Plan | Refused:
    """Plan for one filter for each channel, one pixel of y, and right shifts."""
    if refused := refused_multiplier(node):
        return refused
    _, height, width, _ = node["y"].shape
    if (height, width) != (1, 1):
        return Refused(f"y is {height}x{width}, not one pixel")
    own = issubclass(params, OwnPixelParams)
    requantization = own_shifts(node) if own else right_shifts(node)
    if requantization is None:
        return Refused(NOT_TO_THE_RIGHT)
    return Plan(params(), partial(_tables, node, own, requantization), overlap=_overlap)


def _inside(node: NodeView, axis: int) -> tuple[int, int, int]:
    """(first tap inside the image, number of taps inside, distance between taps) along an axis."""
    dilation = node.attributes["dilation_height" if axis == 1 else "dilation_width"]
    padding = filter_padding(node, axis)
    at = np.arange(node["filter"].shape[axis]) * dilation - padding
    taps = np.flatnonzero((at >= 0) & (at < node["x"].shape[axis]))
    return (int(taps[0]) if taps.size else 0), taps.size, dilation


def _geometry(node: NodeView) -> PixelGeometry:
    _, _, width, channels = node["x"].shape
    (top, rows, down), (left, columns, right) = _inside(node, 1), _inside(node, 2)
    first_row = top * down - filter_padding(node, 1)
    first_column = left * right - filter_padding(node, 2)
    filter_width = node["filter"].shape[2]
    steps = (down * width * channels, right * channels, filter_width * channels, channels)
    if columns == 1:  # one row of taps below each other
        rows, columns, steps = 1, rows, (steps[1], steps[0], steps[3], steps[2])
    return DEPTHWISE.params(
        PixelGeometry,
        node,
        rows=rows,
        columns=columns,
        first=(first_row * width + first_column) * channels,
        row_step=steps[0],
        column_step=steps[1],
        first_weight=(top * filter_width + left) * channels,
        weight_row_step=steps[2],
        weight_column_step=steps[3],
    )


def _tables(
    node: NodeView, own: bool, requantization: tuple[Array, Array]
) -> PixelTables | OwnPixelTables:
    """Filter in the model's order, and biases with the input's zero point for inner taps."""
    (top, rows, _), (left, columns, _) = _inside(node, 1), _inside(node, 2)
    weights = node["filter"].data
    used = weights[0, top : top + rows, left : left + columns].reshape(-1, weights.shape[3]).T
    bias = folded_bias(node, used)
    if own:
        constants_of_own = own_blocks(OwnSixteenChannels, WIDENED, bias, *requantization)
        return OwnPixelTables(_geometry(node), weights, constants_of_own)
    constants = channel_blocks(SixteenChannels, bias, *requantization, WIDENED)
    return PixelTables(_geometry(node), weights, constants)


def _overlap() -> dict[str, Distance]:
    """Distance of y from x: sixteen channels of x are read before these of y are written."""
    return {"x": Distance(in_place=True)}


def cost(node: NodeView) -> float:
    """Cycles of a node, by instructions counted in the kernel's machine code."""
    taps = _inside(node, 1)[1] * _inside(node, 2)[1]
    batches, _, _, channels = node["x"].shape
    return CYCLES * batches * -(-channels // 16) * (100 + 16 * taps)


MVE_PIXEL = Kernel("mve_pixel", MveParams, plan, PixelTables, requires={"mve"}, cost=cost)
MVE_PIXEL_OWN = owning("depthwise_conv_2d/i8", MVE_PIXEL, params=OwnPixelParams)
KERNELS = (MVE_PIXEL, replace(MVE_PIXEL_OWN, tables=OwnPixelTables))
