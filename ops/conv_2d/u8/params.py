"""Params of uint8 kernels of Conv2D."""

from opsmith.op import *
from runtimes.families.convolution import FilterGeometry
from runtimes.families.layer import Quantized


@dataclass(frozen=True, kw_only=True)
class Params(Quantized, FilterGeometry):
    """Geometry, zero points, and bounds of y."""

    filter_zero_point: int
    reversed: bool = False  # walk from the last pixel to the first
