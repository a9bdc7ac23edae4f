"""FullyConnected of int8 by plain_listed.h: as plain.h, for sums some of which are exceptions."""

from runtimes.families.owning import listed

from .plain import PLAIN

PLAIN_LISTED = listed(PLAIN)
KERNELS = (PLAIN_LISTED,)
