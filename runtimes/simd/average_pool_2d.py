"""AVERAGE_POOL_2D of bytes: channels in the lanes of vectors."""

from opsmith.op import Kernel, KernelsFor, i8, u8
from runtimes.families.pooling import inside_cost, larger_than, pool_kernel
from runtimes.simd.instruction_sets import INSTRUCTION_SETS


def averages(most: int) -> tuple[Kernel, ...]:
    """Kernels for windows of up to `most` pixels, whose mean is a product: Mean of core/lanes.h."""
    return tuple(
        pool_kernel(
            each.name,
            inside_cost(4 / each.lanes, 0.0, 12 / each.lanes),
            larger_than(most),
            requires={each.name},
            excludes=each.excludes,
            header="simd/average_pool_2d.h",
            includes=(each.header,),
            function=f"opsmith::average_pool_2d::simd::average<opsmith::simd::{each.struct}>",
            arguments=("p", "in", "out"),
        )
        for each in INSTRUCTION_SETS
    )


KERNELS = (KernelsFor({"T": i8}, averages(180)), KernelsFor({"T": u8}, averages(128)))
