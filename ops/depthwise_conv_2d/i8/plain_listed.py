"""DepthwiseConv2D of int8 by plain_listed.h: as plain.h, for sums some of which are exceptions."""

from runtimes.families.owning import listed

from .plain import PLAIN

KERNELS = (listed(PLAIN),)
