"""DepthwiseConv2D of int8 by dsp_pairs.h: filters of 3x3, two pixels of y at a time."""

from opsmith.op import *
from opsmith.op.overlap import pixel_distance, side_by_side
from runtimes.core.dsp_requantization import DspRequantization, Excepted, Shifts
from runtimes.families.convolution import Packed, geometry
from runtimes.families.depthwise import DEPTHWISE, refused_3x3
from runtimes.families.layer import Padded
from runtimes.families.owning import listing
from runtimes.families.window import image_walk

from .params import Axis, axes

CHANNELS = 4  # in a word
FARTHEST = 4095  # bytes from a window's first pixel that an instruction can have
ROUNDED = Refused("sums are rounded twice")
LOADS = 1.08  # times the instructions of other kernels that take as long
CODE = 1.08  # and what it must gain, since its code is another kilobyte


@dataclass(frozen=True, kw_only=True)
class PixelPairs:
    """Sizes of images in pixels, and the strides of windows of 3x3 over them."""

    batches: int
    channels: int
    input_height: int
    input_width: int
    output_height: int
    output_width: int
    stride_height: int
    stride_width: int
    padding_top: int
    padding_left: int


@dataclass(frozen=True, kw_only=True)
class PairParams(Shifts, Padded, PixelPairs):
    """Pixels and windows, bounds of y, and requantisation."""


def plan(node: NodeView, params: type[PairParams] = PairParams) -> Plan | Refused:
    """Plan for a filter of 3x3 for each channel, at least a word of channels, and thresholds."""
    columns = _columns(node)
    if refused := refused_3x3(node) or _refused(node["x"].shape[3], columns, params):
        return refused
    windows = 3 * columns * node["x"].shape[3] if _copies(node) else 0
    overlap = partial(_overlap, node)
    found = DEPTHWISE.proved(node, params, tables, {"windows": windows}, overlap)
    return found if isinstance(found, Refused) or found.params.right_shift else ROUNDED


def _refused(channels: int, columns: int, params: type[PairParams]) -> Refused | None:
    if channels < CHANNELS:
        return Refused(f"{channels} channels, fewer than {CHANNELS}")
    if issubclass(params, Excepted) and channels % CHANNELS:
        return Refused(f"{channels} channels, not a multiple of {CHANNELS}")
    if (far := (columns - 1) * channels) > FARTHEST:
        return Refused(f"two windows are {far} bytes wide, more than {FARTHEST}")
    return None


def _columns(node: NodeView) -> int:
    """Number of columns of the image under the windows of two neighbours."""
    return 3 + int(node.attributes["stride_width"])


def _copies(node: NodeView) -> bool:
    """True if some windows reach beyond the image, or the one paired with a last odd window."""
    down, right = axes(node)
    return not _inside(down, down.output) or not _inside(right, right.output + right.output % 2)


def _inside(axis: Axis, windows: int) -> bool:
    last = (windows - 1) * axis.stride + axis.filter - axis.padding
    return axis.padding == 0 and last <= axis.input


def tables(found: DspRequantization) -> Packed:
    """Weights of four channels tap by tap, [blocks][9][4], with the last four channels last; and
    requantisation constants.
    """
    channels = len(found.weights)
    starts = np.minimum(np.arange(0, channels, CHANNELS), channels - CHANNELS)
    blocks = found.weights[starts[:, None] + np.arange(CHANNELS)]
    return Packed(np.ascontiguousarray(blocks.transpose(0, 2, 1), np.int8), found.table)


def _overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x: windows of two neighbours are read up to their last channels."""
    channels, width = node["x"].shape[3], node["y"].shape[2]
    walk = side_by_side(image_walk(geometry(node)), width, 2)
    return {"x": Distance(pixel_distance(walk, channels, channels).forward)}


def cost(node: NodeView) -> float:
    """Cost of pairs of pixels, four channels at a time, and of copies of their windows.

    More of these instructions are loads, which take longer, than in other kernels, and a gain of a
    few percent is not worth the code.
    """
    batches, height, width, channels = node["y"].shape
    pairs, blocks = height * -(-width // 2), -(-channels // CHANNELS)
    down, right = axes(node)
    copied = pairs - _pairs_inside(down, 1) * _pairs_inside(right, 2)
    windows = 200 + 1.5 * _columns(node) * channels
    return LOADS * CODE * batches * (pairs * (45 + 214 * blocks) + copied * windows)


def _pairs_inside(axis: Axis, size: int) -> int:
    """Groups of `size` windows along an axis that lie inside the image."""
    firsts = range(0, axis.output, size)
    reach = (size - 1) * axis.stride + axis.filter
    starts = (first * axis.stride - axis.padding for first in firsts)
    return sum(0 <= start <= axis.input - reach for start in starts)


DSP_PAIRS = Kernel(
    "dsp_pairs",
    PairParams,
    plan,
    Packed,
    scratch={"windows": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy", "memset"),
    cost=cost,
    code=Code(instance=1080, general=1410, slowdown=2.0),
)
DSP_PAIRS_LISTED = listing("depthwise_conv_2d/i8", DSP_PAIRS)
KERNELS = (DSP_PAIRS, DSP_PAIRS_LISTED)
