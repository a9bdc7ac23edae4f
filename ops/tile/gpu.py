"""Tile on a GPU."""

from dataclasses import dataclass

from opsmith.runtimes.gpu.movement import gather

from .long import AXES, LongGatherParams


@dataclass(frozen=True)
class LongUnitGather(LongGatherParams):
    """Places of units of y in x."""

    unit: int  # bytes


KERNELS = (gather(LongUnitGather, AXES),)
