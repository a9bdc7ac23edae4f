"""Conv2D of int8 by thumb2_listed.h: as thumb2.h, for sums some of which are exceptions."""

from runtimes.families.owning import listed

from .thumb2 import THUMB2

KERNELS = (listed(THUMB2),)
