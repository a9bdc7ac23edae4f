"""DepthwiseConv2D of int8 by plain_planes.h: filters of 3x3, two pixels in a word of a plane."""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization, Shifts
from runtimes.families.convolution import Packed
from runtimes.families.depthwise import (
    DEPTHWISE,
    Geometry3x3,
    plane_overlap,
    refused_3x3,
    refused_plane,
)
from runtimes.families.layer import Padded
from runtimes.families.owning import among_thresholds, listing, with_ways

from ..transposed import plane_axes, plane_geometry, plane_weights

PAIRS = ((0, 1), (2, 5), (3, 4), (6, 7))  # taps whose products are summed up in 16 bits


@dataclass(frozen=True, kw_only=True)
class WordsParams(Shifts, Padded, Geometry3x3):
    """Geometry in which rows are the longer lines, and the plane of a channel."""

    transposed: bool  # rows are columns of the image
    plane_rows: int
    plane_columns: int  # words
    near_columns: int  # of outputs, in the lower halves of words


def plan(node: NodeView, params: type[WordsParams] = WordsParams) -> Plan | Refused:
    """Plan for a filter of 3x3 for each channel, a limited plane, sums of two products within 16
    bits, and exact requantisation.
    """
    if refused := refused_3x3(node):
        return refused
    rows, columns, near = _plane(node)
    if refused := refused_plane(node, 4 * rows * columns, "bytes"):
        return refused
    if _beyond_16_bits(plane_weights(node, DEPTHWISE.rows(node)).reshape(-1, 9)):
        return Refused("two weights that meet are -128: their products need 17 bits")
    plane = {"plane_rows": rows, "plane_columns": columns, "near_columns": near}
    return DEPTHWISE.proved(
        node,
        params,
        partial(tables, node),
        {"plane": rows * columns, "sums": 2 * near},
        partial(plane_overlap, node),
        more={**plane_geometry(node), **plane},
        mixed=1,
    )


def _plane(node: NodeView) -> tuple[int, int, int]:
    """Rows and columns of the plane, and columns of outputs in the lower halves of words."""
    down, right = plane_axes(node)
    near = -(-right.output // 2)
    return (down.output - 1) * down.stride + 3, (near - 1) * right.stride + 3, near


def _beyond_16_bits(weights: Array) -> bool:
    least = weights == np.iinfo(np.int8).min
    return any(bool((least[:, a] & least[:, b]).any()) for a, b in PAIRS)


def tables(node: NodeView, found: DspRequantization) -> Packed:
    """Weights of each channel by rows of the plane: [channels][3][3]; requantisation constants."""
    return Packed(np.ascontiguousarray(plane_weights(node, found.weights)), found.table)


def cost(node: NodeView) -> float:
    """Cost of copying a channel to its plane, and of its outputs."""
    batches, height, width, channels = node["y"].shape
    rows, columns, near = _plane(node)
    windows = 56.0 * plane_axes(node)[0].output * near
    plane = 3.4 * rows * columns
    return batches * channels * (windows + plane + 18.0 * height * width + 122.0)


PLANES = Kernel(
    "plain_planes",
    WordsParams,
    plan,
    Packed,
    scratch={"plane": i32, "sums": i32},
    numerics=ANY_RULE,
    requires={"thumb"},
    cost=cost,
    code=Code(instance=700, general=1700, slowdown=1.1),
    pixels=0,
)
KERNELS = with_ways("depthwise_conv_2d/i8", PLANES, among_thresholds, listing)
