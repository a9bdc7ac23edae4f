"""Real average pool by the DSP extension."""

from opsmith.op import KernelsFor, i8
from opsmith.runtimes.families.pooling import larger_than, word_problem

from .op import LANE_PIXELS, kernel

PROBLEMS = larger_than(LANE_PIXELS), word_problem
DSP = kernel("dsp", 1.1, 18.0, *PROBLEMS, requires={"dsp"}, copies=("memset",))
KERNELS = (KernelsFor({"T": i8}, (DSP,)),)
