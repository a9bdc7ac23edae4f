"""Params of kernels of Conv2D for int8."""

from dataclasses import dataclass

from opsmith.runtimes.core.dsp_requantization import Excepted, Owning, Shifts
from opsmith.runtimes.families.convolution import FilterGeometry
from opsmith.runtimes.families.layer import Padded, Quantized
from opsmith.runtimes.families.window import Geometry

BLOCK = 16  # channels that reference.h computes before it writes any of them


@dataclass(frozen=True, kw_only=True)
class Params(Quantized, FilterGeometry):
    """The geometry, zero points and bounds."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True, kw_only=True)
class ThresholdParams(Excepted, Params):
    """The geometry, zero points and bounds, and how sums are requantised."""


@dataclass(frozen=True, kw_only=True)
class ShiftParams(Shifts, Padded, Geometry):
    """Geometry for kernels of one group that requantise by thresholds or double rounding."""

    output_channels: int
    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True, kw_only=True)
class OwnParams(Owning, ShiftParams):
    """Params of sums of which some channels are unlike the others."""


@dataclass(frozen=True, kw_only=True)
class ListedParams(Excepted, ShiftParams):
    """Params of sums of which some are exceptions."""
