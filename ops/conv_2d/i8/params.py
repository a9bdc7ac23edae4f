"""Params of int8 kernels of Conv2D."""

from opsmith.op import *
from runtimes.core.dsp_requantization import Excepted, Shifts
from runtimes.families.convolution import FilterGeometry, Grouped, groups
from runtimes.families.layer import Padded, Quantized
from runtimes.families.window import Geometry

BLOCK = 16  # channels that reference.h computes before it writes any of them


@dataclass(frozen=True, kw_only=True)
class Params(Quantized, FilterGeometry):
    """Geometry, zero points, and bounds of y."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True, kw_only=True)
class ThresholdParams(Excepted, Params):
    """Geometry, zero points, bounds of y, and thresholds with exceptions."""


@dataclass(frozen=True, kw_only=True)
class ShiftParams(Shifts, Padded, Geometry):
    """Geometry for kernels of one group that requantise by thresholds or double rounding."""

    output_channels: int
    reversed: bool = False  # walk from the last pixel to the first


def refused_part(node: NodeView, block: int, params: type[Any]) -> Refused | None:
    """Reason against groups that end within a block of channels, where some sums are exceptions."""
    ends_within = node["y"].shape[3] // groups(node) % block
    if ends_within and issubclass(params, Excepted) and issubclass(params, Grouped):
        return Refused(f"groups of channels that are no multiple of {block}")
    return None
