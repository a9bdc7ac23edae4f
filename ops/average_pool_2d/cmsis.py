"""AveragePool2D kernels for the DSP extension, Helium and the FPU."""

from opsmith.op import Code, KernelsFor, f32, i8, i16, u8
from runtimes.cmsis.pooling import of_vectors, real_pool_kernel
from runtimes.families.pooling import (
    eight_problem,
    inside_cost,
    larger_than,
    pool_kernel,
    word_problem,
)

from .op import LANE_PIXELS

RECIPROCAL_PIXELS = 180  # int16 whose product with the reciprocal rounds right: core/lanes.h
BYTES = (
    pool_kernel(
        "mve", inside_cost(10.0, 0.0, 70.0, 16), larger_than(LANE_PIXELS), requires={"mve"}
    ),
    pool_kernel(
        "dsp",
        inside_cost(5.4, 0.0, 12.0, 4),
        larger_than(LANE_PIXELS),
        word_problem,
        requires={"dsp"},
        copies=("memset",),
        code=Code(instance=490, general=1150, slowdown=2.9),
    ),
)
HALFWORDS = (
    pool_kernel(
        "mve", inside_cost(10.7, 0.0, 54.0, 8), larger_than(RECIPROCAL_PIXELS), requires={"mve"}
    ),
    pool_kernel(
        "dsp", inside_cost(2.2, 0.0, 6.0), word_problem, requires={"dsp"}, copies=("memset",)
    ),
)
FLOATS = (
    real_pool_kernel("mve", "mve_float", of_vectors((12.0, 600.0), (6.0, 180.0))),
    real_pool_kernel("fpu", "fpu", inside_cost(21.3, 0.0, 320.0, 8), eight_problem, block=8),
)
KERNELS = (
    *(KernelsFor({"T": dtype}, BYTES) for dtype in (i8, u8)),
    KernelsFor({"T": i16}, HALFWORDS),
    KernelsFor({"T": f32}, FLOATS),
)
