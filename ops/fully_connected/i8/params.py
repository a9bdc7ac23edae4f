"""Params of int8 kernels of FullyConnected."""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization, Excepted, Shifts
from runtimes.families.layer import Clamped
from runtimes.families.matmul import Sizes


@dataclass(frozen=True, kw_only=True)
class ClampedSizes(Clamped, Sizes):
    """Sizes, and bounds of y."""


@dataclass(frozen=True, kw_only=True)
class ThresholdParams(Excepted, ClampedSizes):
    """Sizes, bounds of y, zero points, and thresholds with exceptions."""

    input_zero_point: int
    weights_zero_point: int


@dataclass(frozen=True, kw_only=True)
class RuleParams(ClampedSizes):
    """Sizes, bounds of y, and zero points."""

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
    """Sizes, bounds of y, zero points, and the number of scales."""

    input_zero_point: int
    weights_zero_point: int


def shifts_of(found: DspRequantization) -> dict[str, int]:
    """Fields of `Shifts` or of `Owning` for constants that were found."""
    shifts = {"left_shift": found.left, "right_shift": found.right}
    return shifts | ({"own": found.own} if found.own else {})
