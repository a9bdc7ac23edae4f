"""Conv2D of int8 by dsp_threes_listed.h: dsp_threes.h for sums of which some are exceptions."""

from runtimes.families.owning import listed

from .dsp_threes import DSP_THREES

KERNELS = (listed(DSP_THREES),)
