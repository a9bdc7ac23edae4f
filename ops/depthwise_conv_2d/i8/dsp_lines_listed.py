"""DepthwiseConv2D of int8 by dsp_lines_listed.h: dsp_lines.h for sums with exceptions."""

from runtimes.families.owning import listed

from .dsp_lines import DSP_LINES

KERNELS = (listed(DSP_LINES),)
