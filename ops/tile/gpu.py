"""Tile on a GPU."""

from dataclasses import dataclass

from opsmith.runtimes.gpu.movement import gather

from .long import AXES, LongGatherParams


@dataclass(frozen=True)
class LongUnitGather(LongGatherParams):
    """Where units of y are in x."""

    unit: int  # bytes


KERNELS = (gather(LongUnitGather, AXES),)
