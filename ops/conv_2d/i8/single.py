"""Conv2D of int8 by single.h: sums times factors in single precision, on every core."""

from opsmith.op import *
from runtimes.core.per_channel import SingleTables
from runtimes.families.convolution import CONVOLUTION, pixel_overlap

from .params import BLOCK, Params

SINGLE = CONVOLUTION.single(Params, SingleTables, partial(pixel_overlap, block=BLOCK))
KERNELS = (SINGLE,)
