"""MaxPool2D kernels for the DSP extension, Helium and the FPU."""

from opsmith.op import Code, KernelsFor, f32, i8, i16, u8
from runtimes.cmsis.pooling import of_vectors, real_pool_kernel
from runtimes.families.pooling import eight_problem, inside_cost, pool_kernel, word_problem

BYTES = (
    pool_kernel("mve", inside_cost(4.2, 10.0, 22.0, 16), requires={"mve"}),
    pool_kernel(
        "dsp",
        inside_cost(6.0, 0.0, 2.0, 4),
        word_problem,
        requires={"dsp"},
        code=Code(instance=330, general=700),
    ),
)
HALFWORDS = (
    pool_kernel("mve", inside_cost(4.2, 10.0, 22.0, 8), requires={"mve"}),
    pool_kernel("dsp", inside_cost(3.0, 0.0, 0.5), word_problem, requires={"dsp"}),
)
FLOATS = (
    real_pool_kernel("mve", "mve_float", of_vectors((17.0, 290.0), (10.0, 165.0))),
    real_pool_kernel("fpu", "fpu", inside_cost(46.4, 0.0, 225.0, 8), eight_problem, block=8),
)
KERNELS = (
    *(KernelsFor({"T": dtype}, BYTES) for dtype in (i8, u8)),
    KernelsFor({"T": i16}, HALFWORDS),
    KernelsFor({"T": f32}, FLOATS),
)
