"""A transposed convolution as convolutions of stride 1, one for each phase of the strides.

If a pixel's distance from the start of the padding has remainder q modulo the stride, only the taps
q, q + stride, ... of filters cover the pixel, later taps from earlier pixels of x. All pixels with
remainder q are a convolution of x with these taps, in reverse. Phases with equal windows are one
convolution, whose channels are a tile of y.
"""

from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.layer import weights_zero_point
from runtimes.families.window import Geometry

from .geometry import FACTS

_ALONG = {1: "height", 2: "width"}
MAX_TILE = 64  # elements of y: scratch holds those of several tiles


@dataclass(frozen=True, kw_only=True)
class PhaseOrigin:
    """Place of a phase's pixels in y: every stride-th from the first one on."""

    first_row: int
    first_column: int


@dataclass(frozen=True)
class Phase:
    """Convolution of stride 1, and the places of its pixels in y."""

    place: PhaseOrigin
    geometry: Geometry
    filters: Array  # [channels][rows][columns][inputs], without their zero point


@dataclass(frozen=True, kw_only=True)
class TileSize:
    """Size of a tile of y: one pixel, or as many along an axis as the stride."""

    tile_height: int
    tile_width: int


@dataclass(frozen=True)
class _Line:
    """Phase along one axis: its taps, padding, and first pixel."""

    first: int  # pixel of y
    pixels: int
    taps: NDArray[np.int64]  # of the filter, in the order of x; -1: one of zeros
    padding: int  # pixels of x before the first one


def phases(node: NodeView) -> tuple[Phase, ...]:
    """Phases that have pixels of y."""
    return tuple(_phase(node, down, right) for down in _lines(node, 1) for right in _lines(node, 2))


def tile(node: NodeView) -> TileSize:
    """Pixels of y that are computed as channels of one, since the windows of all phases along an
    axis are equal; 1 along other axes, and where a tile would exceed MAX_TILE.
    """
    height, width = (
        len(lines)
        if len({(each.pixels, len(each.taps), each.padding) for each in lines}) == 1
        else 1
        for lines in (_lines(node, 1), _lines(node, 2))
    )
    if height * width * node["y"].shape[3] > MAX_TILE:
        height, width = 1, 1
    return TileSize(tile_height=height, tile_width=width)


def tiled(node: NodeView) -> tuple[Phase, ...]:
    """Phases, of which those of a tile are one: its filters are those of row after row of the tile,
    pixel by pixel.
    """
    of = tile(node)
    found = np.array(phases(node), object).reshape(
        -1, of.tile_height, len(_lines(node, 2)) // of.tile_width, of.tile_width
    )
    return tuple(
        replace(
            found[row, 0, column, 0],
            filters=np.concatenate([each.filters for each in found[row, :, column].flat]),
        )
        for row in range(found.shape[0])
        for column in range(found.shape[2])
    )


def windows_of_phases(node: NodeView) -> Iterator[tuple[int, int, int]]:
    """Pixels of each phase in an image of y, and height and width of its windows."""
    for down in _lines(node, 1):
        for right in _lines(node, 2):
            yield down.pixels * right.pixels, len(down.taps), len(right.taps)


def _phase(node: NodeView, down: _Line, right: _Line) -> Phase:
    filters = node["filter"].data
    if filters.dtype == np.uint8:
        filters = filters.astype(np.int16) - weights_zero_point(node["filter"])
    apart = np.pad(filters, ((0, 0), (0, 1), (0, 1), (0, 0)))  # taps of -1 are zeros
    taps = {"filter_height": len(down.taps), "filter_width": len(right.taps)}
    size = {"output_height": down.pixels, "output_width": right.pixels}
    padding = {"padding_top": down.padding, "padding_left": right.padding}
    ones = dict.fromkeys(("stride_height", "stride_width", "dilation_height", "dilation_width"), 1)
    return Phase(
        PhaseOrigin(first_row=down.first, first_column=right.first),
        CONVOLUTION.params(Geometry, node, **taps, **size, **padding, **ones),
        apart[:, down.taps][:, :, right.taps],
    )


def _lines(node: NodeView, axis: int) -> list[_Line]:
    stride = node.attributes[f"stride_{_ALONG[axis]}"]
    padding = FACTS["padding_top" if axis == 1 else "padding_left"](node)
    size, window = node["y"].shape[axis], node["filter"].shape[axis]
    return [_line(first, size, stride, window, padding) for first in range(min(stride, size))]


def _line(first: int, size: int, stride: int, window: int, padding: int) -> _Line:
    pixel, rest = divmod(first + padding, stride)
    taps = np.arange(rest, window, stride)[::-1] if rest < window else np.array([-1])
    return _Line(first, -(-(size - first) // stride), taps, len(taps) - 1 - pixel)
