"""Maximum kernels of several elements at a time."""

from runtimes.cmsis.lanes import LANES

KERNELS = LANES
