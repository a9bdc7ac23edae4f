"""Conv2D of int8 by winograd_listed.h: as winograd.h, for sums some of which are exceptions."""

from runtimes.families.owning import listed

from .winograd import WINOGRAD

KERNELS = (listed(WINOGRAD),)
