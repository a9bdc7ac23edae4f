"""Conv2D of int8 by dsp_twos_listed.h: dsp_twos.h for sums of which some are exceptions."""

from opsmith.op import *
from runtimes.families.owning import listed

from .dsp_twos import DSP_TWOS

KERNELS = (replace(listed(DSP_TWOS), code=Code(instance=300, general=2600)),)  # rounds once
