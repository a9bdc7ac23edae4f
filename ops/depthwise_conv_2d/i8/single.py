"""DepthwiseConv2D of int8 by single.h: sums times factors in single precision, on every core."""

from opsmith.runtimes.core.per_channel import SingleTables
from opsmith.runtimes.families.depthwise import DEPTHWISE

from .params import Params, overlap

SINGLE = DEPTHWISE.single(Params, SingleTables, overlap)
KERNELS = (SINGLE,)
