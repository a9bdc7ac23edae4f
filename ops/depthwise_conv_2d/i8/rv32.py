"""DepthwiseConv2D of int8 by rv32.h: filters of 3x3 in registers, a channel in a plane."""

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


@dataclass(frozen=True, kw_only=True)
class ColumnsParams(Shifts, Padded, Geometry3x3):
    """Geometry in which rows are the longer lines, and the plane of a channel."""

    transposed: bool  # rows are columns of the image
    plane_rows: int  # bytes from a column of the plane to the next
    plane_columns: int


def plan(node: NodeView, params: type[ColumnsParams] = ColumnsParams) -> Plan | Refused:
    """Plan for a filter of 3x3 for each channel, a limited plane, and exact requantisation."""
    rows, columns = ((each.output - 1) * each.stride + 3 for each in plane_axes(node))
    if refused := refused_3x3(node) or refused_plane(node, rows * columns, "bytes"):
        return refused
    return DEPTHWISE.proved(
        node,
        params,
        partial(tables, node),
        {"plane": rows * columns},
        partial(plane_overlap, node),
        more={**plane_geometry(node), "plane_rows": rows, "plane_columns": columns},
        mixed=1,
    )


def tables(node: NodeView, found: DspRequantization) -> Packed:
    """Weights of each channel by columns of a plane: [channels][3][3]; requantisation constants."""
    by_row = plane_weights(node, found.weights)
    return Packed(np.ascontiguousarray(by_row.transpose(0, 2, 1)), found.table)


def cost(node: NodeView) -> float:
    """Cost of copying a channel to its plane, and of its outputs."""
    batches, height, width, channels = node["y"].shape
    rows, columns = plane_axes(node)
    output = 30.0 if columns.stride == 1 else 40.0
    copied = 4.0 * node["x"].shape[1] * node["x"].shape[2]
    return batches * channels * (output * height * width + 30.0 * rows.output + copied + 80.0)


RV32 = Kernel(
    "rv32",
    ColumnsParams,
    plan,
    Packed,
    scratch={"plane": i8},
    numerics=ANY_RULE,
    requires={"rv32m"},
    copies=("memset",),
    cost=cost,
    code=Code(instance=260, general=1120, slowdown=1.05),
    pixels=0,
)
KERNELS = with_ways("depthwise_conv_2d/i8", RV32, among_thresholds, listing)
