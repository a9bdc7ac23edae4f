"""Conv2D of uint8 by dsp_runs.h: runs of neighbouring inputs, for every node."""

from opsmith.op import *
from runtimes.cmsis.dsp_runs import cost
from runtimes.families.convolution import CONVOLUTION, pixel_overlap

from . import Tables
from .params import Params

KERNELS = (
    replace(
        CONVOLUTION.reference(Params, Tables, pixel_overlap),
        name="dsp_runs",
        requires={"dsp"},
        cost=cost,
    ),
)
