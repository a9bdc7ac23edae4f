"""Tile kernels on a GPU."""

from opsmith.op import *
from runtimes.gpu.movement import gather

from .long import AXES, LongGatherParams


@dataclass(frozen=True)
class LongUnitGather(LongGatherParams):
    """Places in x of the units of y, along twice as many axes as usual."""

    unit: int  # bytes


KERNELS = (gather(LongUnitGather, AXES),)
