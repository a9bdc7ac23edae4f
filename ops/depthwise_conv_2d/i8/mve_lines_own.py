"""DepthwiseConv2D of int8 by mve_lines_own.h: as mve_lines.h, for any multipliers."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import OWN_FOURS, OwnFourChannels, own_shifts
from runtimes.core.dsp_requantization import NONE_OWN

from .mve_lines import MVE_LINES, LinesGeometry, params_of, planned, tables


@dataclass(frozen=True)
class OwnLinesTables:
    """Constants like LinesTables, for channels that may shift left."""

    geometry: LinesGeometry
    order: NDArray[np.uint8]
    filter: NDArray[np.int8]
    requantization: tuple[OwnFourChannels, ...]


def plan(node: NodeView) -> Plan | Refused:
    """Plan of lines of windows, for layers in which some channels do not shift right."""
    if own_shifts(node) is None:
        return NONE_OWN
    made = partial(tables, OwnLinesTables, OWN_FOURS)
    return planned(node, params_of(node), made, own_shifts)


MVE_LINES_OWN = replace(MVE_LINES, name="mve_lines_own", plan=plan, tables=OwnLinesTables)
KERNELS = (MVE_LINES_OWN,)
