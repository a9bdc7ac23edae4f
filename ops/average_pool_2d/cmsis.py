"""AveragePool2D kernels for the DSP extension, Helium and the FPU."""

from opsmith.op import Code, KernelsFor, f32, i8, i16, u8
from opsmith.runtimes.cmsis.pooling import real_pool_kernel
from opsmith.runtimes.families.pooling import (
    eight_problem,
    larger_than,
    pool_kernel,
    word_problem,
)

from .op import LANE_PIXELS

RECIPROCAL_PIXELS = 180  # int16 whose product with the reciprocal rounds right: core/lanes.h
BYTES = (
    pool_kernel("mve", 0.48, 4.2, larger_than(LANE_PIXELS), requires={"mve"}),
    pool_kernel(
        "dsp",
        0.9,
        4.0,
        larger_than(LANE_PIXELS),
        word_problem,
        requires={"dsp"},
        copies=("memset",),
        code=Code(instance=490, general=1150, slowdown=2.9),
    ),
)
HALFWORDS = (
    pool_kernel("mve", 0.96, 5.0, larger_than(RECIPROCAL_PIXELS), requires={"mve"}),
    pool_kernel("dsp", 2.3, 8.0, word_problem, requires={"dsp"}, copies=("memset",)),
)
FLOATS = (
    real_pool_kernel("mve", "mve_float", 0.7, 13.5),
    real_pool_kernel("fpu", "fpu", 1.6, 15.3, eight_problem, block=8),
)
KERNELS = (
    *(KernelsFor({"T": dtype}, BYTES) for dtype in (i8, u8)),
    KernelsFor({"T": i16}, HALFWORDS),
    KernelsFor({"T": f32}, FLOATS),
)
