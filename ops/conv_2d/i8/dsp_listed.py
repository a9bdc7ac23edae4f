"""Conv2D of int8 by dsp_listed.h: as dsp.h, for sums some of which are exceptions."""

from runtimes.families.owning import listed

from .dsp import DSP

KERNELS = (listed(DSP),)
