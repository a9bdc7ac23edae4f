"""Params of kernels of Conv2D for int16."""

from dataclasses import dataclass

from opsmith.runtimes.families.convolution import FilterGeometry
from opsmith.runtimes.families.layer import Clamped
from opsmith.runtimes.families.window import Geometry


@dataclass(frozen=True, kw_only=True)
class Params(Clamped, FilterGeometry):
    """The geometry and bounds."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True, kw_only=True)
class WidthParams(Clamped, Geometry):
    """Geometry and clamp for kernels of one group, with sums of 32 bits, which some nodes leave."""

    output_channels: int
    wide: bool  # sums may need 64 bits
    reversed: bool = False  # walk from the last pixel to the first
