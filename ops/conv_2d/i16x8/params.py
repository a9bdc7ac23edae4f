"""Params of int16 kernels of Conv2D."""

from opsmith.op import *
from runtimes.families.convolution import FilterGeometry
from runtimes.families.layer import Clamped
from runtimes.families.window import Geometry


@dataclass(frozen=True, kw_only=True)
class Params(Clamped, FilterGeometry):
    """Geometry of a filter, and bounds of y."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True, kw_only=True)
class WidthParams(Clamped, Geometry):
    """Geometry and bounds for kernels of one group; `wide` selects sums of 64 bits."""

    output_channels: int
    wide: bool  # sums may need 64 bits
    reversed: bool = False  # walk from the last pixel to the first
