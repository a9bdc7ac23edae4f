"""MAX_POOL_2D of int8: 16 channels at a time."""

from opsmith.op import KernelsFor, i8
from runtimes.families.pooling import inside_cost, pool_kernel
from runtimes.simd.instruction_sets import INSTRUCTION_SETS

KERNELS = (
    KernelsFor(
        {"T": i8},
        tuple(
            pool_kernel(
                each.name,
                inside_cost(0.3, 0.0, 0.5),
                requires={each.name},
                excludes=each.excludes,
                header="simd/max_pool_2d.h",
                function="opsmith::max_pool_2d::simd::largest",
                arguments=("p", "in", "out"),
            )
            for each in INSTRUCTION_SETS
        ),
    ),
)
