"""DepthwiseConv2D of int16 by dsp.h: filters of 3x3, a channel in a plane with its border."""

from opsmith.op import *
from runtimes.core.rescaling import WidthRequantization
from runtimes.families.convolution import Packed
from runtimes.families.depthwise import (
    DEPTHWISE,
    WIDE,
    Geometry3x3,
    plane_overlap,
    refused_3x3,
    refused_plane,
)
from runtimes.families.layer import Clamped

from ..transposed import plane_axes, plane_geometry, plane_weights


@dataclass(frozen=True, kw_only=True)
class PlaneParams(Clamped, Geometry3x3):
    """Geometry, bounds of y, and the plane to which a channel is copied with its border."""

    plane_width: int
    plane_height: int
    transposed: bool  # height and width, and what else goes along them, are each other's


def plan(node: NodeView) -> Plan | Refused:
    """Plan for a filter of 3x3 without dilation, a plane of limited size, and sums of 32 bits."""
    geometry = _geometry(node)
    words = -(-geometry["plane_width"] * geometry["plane_height"] // 2)
    if refused := refused_3x3(node) or refused_plane(node, 2 * words, "elements"):
        return refused
    found = DEPTHWISE.int16(node)
    if found.wide:
        return WIDE
    return Plan(
        DEPTHWISE.params(PlaneParams, node, **geometry),
        partial(tables, node, found),
        {"plane": words},
        partial(plane_overlap, node),
    )


def _geometry(node: NodeView) -> dict[str, int]:
    """Geometry, and the size of a plane for all windows: whole blocks of two by two where windows
    overlap in both directions.
    """
    down, right = plane_axes(node)
    dense = down.stride == right.stride == 1
    height, width = (
        -(-axis.output // 2) * 2 + 2 if dense else (axis.output - 1) * axis.stride + 3
        for axis in (down, right)
    )
    return {**plane_geometry(node), "plane_height": height, "plane_width": width}


def tables(node: NodeView, found: WidthRequantization) -> Packed:
    """Weights [channels][3][4] of each channel: a word for each row, with weights 0, 2, 1; and
    requantisation constants.
    """
    channels = node["x"].shape[3]
    packed = np.zeros((channels, 3, 4), np.int8)
    packed[..., [0, 2, 1]] = plane_weights(node, node["filter"].data.reshape(9, channels).T)
    return Packed(packed, found.table)


def cost(node: NodeView) -> float:
    """Cost of planes that are filled, and of outputs, one by one or in blocks of two by two, full
    or not, in cycles of a Cortex-M4F.
    """
    x, (batches, height, width, channels) = node["x"], node["y"].shape
    filled = 4.0 * x.elements
    if any(axis.stride != 1 for axis in plane_axes(node)):
        return filled + batches * channels * 30 + 22.0 * node["y"].elements
    blocks = -(-height // 2) * -(-width // 2)
    return filled + batches * channels * (150 + 66.0 * blocks) + 7.0 * node["y"].elements


DSP = Kernel(
    "dsp",
    PlaneParams,
    plan,
    Packed,
    scratch={"plane": i32},
    requires={"dsp"},
    copies=("memset",),  # of the border
    cost=cost,
    pixels=0,
)
KERNELS = (DSP,)
