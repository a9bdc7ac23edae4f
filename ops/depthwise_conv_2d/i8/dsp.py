"""DepthwiseConv2D of int8 by dsp.h: filters of 3x3, a channel in a plane with its border."""

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
from runtimes.families.owning import among_thresholds, singling, with_ways

BLOCK, OUTPUT = 66.0, 24.0  # instructions of 2x2 outputs, and of one where windows do not overlap


@dataclass(frozen=True, kw_only=True)
class PlaneParams(Shifts, Padded, Geometry3x3):
    """Geometry, bounds of y, and the plane to which a channel is copied with its border."""

    plane_width: int  # bytes
    plane_height: int


def plan(node: NodeView, params: type[PlaneParams] = PlaneParams) -> Plan | Refused:
    """Plan for a filter of 3x3 for each channel, a limited plane, and exact requantisation."""
    found = planned(node, params, tables)
    return found if isinstance(found, Refused) else replace(found, code=_code(found.params))


def _code(p: PlaneParams) -> Code:
    """Code size of an instance: windows that overlap in both directions are computed in blocks.

    The general form begins each channel slowly, and without blocks each line, which matters in
    small images.
    """
    if p.stride_height == p.stride_width == 1:
        return Code(instance=530, slowdown=1.35 + 14 / (p.output_height * p.output_width))
    return Code(instance=365, slowdown=1.5 + 3.2 / p.output_width)


def planned(
    node: NodeView, params: type[PlaneParams], tables: Callable[[DspRequantization], Any]
) -> Plan | Refused:
    """Plan of a kernel with these params and tables that copies channels to a plane."""
    width, height = plane_of(node)
    if refused := refused_3x3(node) or refused_plane(node, width * height, "bytes"):
        return refused
    return DEPTHWISE.proved(
        node,
        params,
        tables,
        {"plane": width * height},
        partial(plane_overlap, node),
        more={"plane_width": width, "plane_height": height},
        mixed=1,
    )


def plane_of(node: NodeView) -> tuple[int, int]:
    """(width, height) of all windows, in whole blocks, with the fourth byte of the last word."""
    _, height, width, _ = node["y"].shape
    down, right = node.attributes["stride_height"], node.attributes["stride_width"]
    block = 2 if _overlapping(node) else 1
    columns = (-(-width // block) * block - 1) * right + (3 if block == 2 else 4)
    return columns, (-(-height // block) * block - 1) * down + 3


def tables(found: DspRequantization) -> Packed:
    """Nine weights of each channel, a word a row: [channels][3][4]; requantisation constants."""
    return Packed(rows_3x3(found.weights), found.table)


def rows_3x3(weights: Array) -> Array:
    """Nine weights of each channel with a fourth byte for each row: [channels][3][4]."""
    packed: Array = np.zeros((len(weights), 3, 4), weights.dtype)
    packed[..., :3] = weights.reshape(-1, 3, 3)
    return packed


def cost(node: NodeView) -> float:
    """Cost of channels that are copied to their plane, and of their outputs: in blocks where
    windows overlap, else in pairs where windows are two columns apart.
    """
    batches, height, width, channels = node["y"].shape
    if _overlapping(node):
        plane = 110 + BLOCK * -(-height // 2) * width / 2
    else:
        copied, odd = _copied(node), width % 2
        row = 47 + (32.3 * (width // 2 + odd) + 11 * odd if _paired(node) else OUTPUT * width)
        plane = 20 + 2.4 * copied + height * row
    return float(batches * channels * plane)


def _copied(node: NodeView) -> int:
    """Number of bytes of a channel that are copied to its plane."""
    width, height = plane_of(node)
    _, rows, columns, _ = node["x"].shape
    return min(rows, height) * min(columns, width)


def _paired(node: NodeView) -> bool:
    """True if the kernel computes two outputs at a time."""
    return bool(node.attributes["stride_width"] == 2 and node["y"].shape[2] > 1)


def _overlapping(node: NodeView) -> bool:
    """True if windows overlap in both directions, so that blocks of them are computed."""
    return bool(node.attributes["stride_height"] == node.attributes["stride_width"] == 1)


DSP = Kernel(
    "dsp",
    PlaneParams,
    plan,
    Packed,
    scratch={"plane": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memset",),
    cost=cost,
    code=Code(instance=500, general=2190),
    pixels=0,
)
KERNELS = with_ways("depthwise_conv_2d/i8", DSP, among_thresholds, singling)
