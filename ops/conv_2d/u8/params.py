"""Params of kernels of Conv2D for uint8."""

from dataclasses import dataclass

from opsmith.runtimes.families.convolution import FilterGeometry
from opsmith.runtimes.families.layer import Quantized


@dataclass(frozen=True, kw_only=True)
class Params(Quantized, FilterGeometry):
    """The geometry, zero points and bounds."""

    filter_zero_point: int
    reversed: bool = False  # walk from the last pixel to the first
