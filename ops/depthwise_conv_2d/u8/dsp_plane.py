"""DepthwiseConv2D of uint8 by dsp_plane.h: filters of 3x3, as dsp.h of int8."""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.layer import weights_zero_point

from ..i8.dsp import PlaneParams, planned, rows_3x3


@dataclass(frozen=True, kw_only=True)
class DspPlaneParams(PlaneParams):
    """Params of a plane, and the number by which all weights are lowered."""

    filter_zero_point: int


@dataclass(frozen=True)
class DspPlaneTables:
    """Filter of 3x3 in words, and requantisation constants, by channel."""

    filter: NDArray[np.uint8]  # [channels][3][4], with the zero point that the model has
    requantization: NDArray[np.int32]  # [channels]: Threshold, or Rounding


def plan(node: NodeView) -> Plan | Refused:
    """Plan for a filter of 3x3 for each channel, a limited plane, and exact requantisation."""
    return planned(node, DspPlaneParams, partial(_tables, node))


def _tables(node: NodeView, found: DspRequantization) -> DspPlaneTables:
    weights = (found.weights + weights_zero_point(node["filter"])).astype(np.uint8)
    return DspPlaneTables(rows_3x3(weights), found.table)


DSP_PLANE = Kernel(
    "dsp_plane",
    DspPlaneParams,
    plan,
    DspPlaneTables,
    scratch={"plane": i8},
    requires={"dsp"},
    copies=("memset",),
    cost=DEPTHWISE.cost(2.8, 0.3),
    pixels=0,
)
KERNELS = (DSP_PLANE,)
