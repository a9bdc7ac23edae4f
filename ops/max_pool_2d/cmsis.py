"""MaxPool2D kernels for the DSP extension, Helium and the FPU."""

from opsmith.op import Code, KernelsFor, f32, i8, i16, u8
from opsmith.runtimes.cmsis.pooling import real_pool_kernel
from opsmith.runtimes.families.pooling import eight_problem, pool_kernel, word_problem

BYTES = (
    pool_kernel("mve", 0.33, 1.6, requires={"mve"}),
    pool_kernel(
        "dsp",
        0.8,
        1.6,
        word_problem,
        requires={"dsp"},
        code=Code(instance=330, general=700),
    ),
)
HALFWORDS = (
    pool_kernel("mve", 0.66, 3.2, requires={"mve"}),
    pool_kernel("dsp", 2.2, 2.5, word_problem, requires={"dsp"}),
)
FLOATS = (
    real_pool_kernel("mve", "mve_float", 0.9, 14.6),
    real_pool_kernel("fpu", "fpu", 4.6, 18.5, eight_problem, block=8),
)
KERNELS = (
    *(KernelsFor({"T": dtype}, BYTES) for dtype in (i8, u8)),
    KernelsFor({"T": i16}, HALFWORDS),
    KernelsFor({"T": f32}, FLOATS),
)
