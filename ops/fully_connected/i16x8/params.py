"""Params of int16 kernels of FullyConnected."""

from opsmith.op import *
from runtimes.families.layer import Clamped
from runtimes.families.matmul import Sizes


@dataclass(frozen=True, kw_only=True)
class Params(Clamped, Sizes):
    """Sizes, bounds of y, and the number of scales."""

    per_channel: bool  # one scale for each output channel, not one for all


@dataclass(frozen=True, kw_only=True)
class ExactParams(Clamped, Sizes):
    """Sizes, bounds of y, and requantisation."""

    wide: bool  # sums may need 64 bits, or double precision
