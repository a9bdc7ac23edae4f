"""Kernels of lookup.h: bytes from tables, a vector at a time."""

from opsmith.op import *
from runtimes.families.lookup import bytes_by
from runtimes.simd.instruction_sets import AVX2, AVX512_VNNI, NEON_DOT

COSTS = {AVX2: 1.2, AVX512_VNNI: 0.2, NEON_DOT: 0.7}  # instructions for each element


def looked_up(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the params and tables of the reference."""
    return tuple(
        replace(
            variant.kernels[-1],
            name=isa.name,
            requires={isa.name},
            excludes=isa.excludes,
            cost=per_element(cost),
            header="runtimes/simd/lookup.h",
            includes=(isa.header,),
            function=f"opsmith::simd::bytes<opsmith::simd::{isa.struct}>",
        )
        for isa, cost in COSTS.items()
    )


def rescaled(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of bytes that are converted to another quantisation of their type."""
    dtype, evaluate = variant.types["T"], variant.evaluate
    if dtype not in (i8, u8) or variant.types.get("U", dtype) != dtype:
        return ()
    assert evaluate is not None
    return looked_up(bytes_by(lambda node, x: evaluate(node, [x])[0], dtype))


KERNELS = (KernelsFor("bytes", (looked_up,)),)
