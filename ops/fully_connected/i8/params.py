"""Params of kernels of FullyConnected for int8."""

from dataclasses import dataclass

from opsmith.runtimes.core.dsp_requantization import DspRequantization, Excepted, Owning, Shifts
from opsmith.runtimes.families.layer import Clamped
from opsmith.runtimes.families.matmul import Sizes


@dataclass(frozen=True, kw_only=True)
class ClampedSizes(Clamped, Sizes):
    """The sizes, and the bounds of y."""


@dataclass(frozen=True, kw_only=True)
class ThresholdParams(Excepted, ClampedSizes):
    """The sizes, the bounds of y, the zero points, and how sums are requantised."""

    input_zero_point: int
    weights_zero_point: int


@dataclass(frozen=True, kw_only=True)
class RuleParams(ClampedSizes):
    """The sizes, the bounds of y, and the zero points."""

    input_zero_point: int
    weights_zero_point: int
    output_zero_point: int


@dataclass(frozen=True, kw_only=True)
class ShiftParams(Shifts, ClampedSizes):
    """Sizes and bounds for kernels that requantise by thresholds."""


@dataclass(frozen=True, kw_only=True)
class ScaledParams(ClampedSizes):
    """Sizes and bounds for kernels that multiply sums by scales."""

    per_channel: bool  # one scale for each output channel, not one for all
    output_zero_point: int


@dataclass(frozen=True, kw_only=True)
class Params(ScaledParams):
    """The sizes, the bounds of y, and the zero points."""

    input_zero_point: int
    weights_zero_point: int


def shifts_of(found: DspRequantization) -> dict[str, int]:
    """Fields of `Shifts` or of `Owning`."""
    shifts = {"left_shift": found.left, "right_shift": found.right}
    return shifts | ({"own": found.own} if found.own else {})


@dataclass(frozen=True, kw_only=True)
class OwnParams(Owning, ShiftParams):
    """Params of sums of which each channel's are shifted by their own."""


@dataclass(frozen=True, kw_only=True)
class ListedParams(Excepted, ShiftParams):
    """Params of sums of which some are exceptions."""
