"""Conv2D of int8 by dsp_runs.h: runs of neighbouring inputs, for every node."""

from opsmith.op import *
from runtimes.cmsis.dsp_runs import cost
from runtimes.core.per_channel import Tables
from runtimes.families.convolution import CONVOLUTION, pixel_overlap

from .params import Params

KERNELS = (
    replace(
        CONVOLUTION.reference(Params, Tables, pixel_overlap),
        name="dsp_runs",
        requires={"dsp"},
        cost=cost,
    ),
)
