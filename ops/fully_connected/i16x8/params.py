"""Params of kernels of FullyConnected for int16."""

from dataclasses import dataclass

from opsmith.runtimes.families.layer import Clamped
from opsmith.runtimes.families.matmul import Sizes


@dataclass(frozen=True, kw_only=True)
class Params(Clamped, Sizes):
    """The sizes, the bounds of y, and how many scales there are."""

    per_channel: bool  # one scale for each output channel, not one for all


@dataclass(frozen=True, kw_only=True)
class ExactParams(Clamped, Sizes):
    """The sizes, the bounds of y, and how sums are requantised."""

    wide: bool  # sums may need 64 bits, or double precision
