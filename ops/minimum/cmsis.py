"""Minimum kernels of several elements at a time."""

from opsmith.runtimes.cmsis.lanes import LANES

KERNELS = LANES
