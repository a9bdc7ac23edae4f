"""FullyConnected of uint8 by dsp_runs.h: for any weights and scale."""

from opsmith.op import *
from runtimes.families.matmul import MATMUL, row_overlap

from . import Params, Tables

KERNELS = (
    replace(
        MATMUL.reference(Params, Tables, row_overlap, (2.8, 160.0)),
        name="dsp_runs",
        requires={"dsp"},
        paces={"mve": 0.65},
    ),
)
