"""DepthwiseConv2D of int8 by single.h: sums times factors in single precision, on every core."""

from runtimes.core.per_channel import SingleTables
from runtimes.families.depthwise import DEPTHWISE

from .params import Params, overlap

SINGLE = DEPTHWISE.single(Params, SingleTables, overlap)
KERNELS = (SINGLE,)
