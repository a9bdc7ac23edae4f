"""Kernel of lookup.h: bytes from tables, a vector at a time."""

from opsmith.op import *

HEADER, FUNCTION = "runtimes/riscv/lookup.h", "opsmith::riscv::bytes"


def looked_up(variant: Variant) -> Kernel:
    """Kernel with params and tables of the reference; a core gathers about one byte per cycle."""
    kernel = replace(variant.kernels[-1], name="rvv", requires={"zve32x"}, cost=per_element(1.1))
    return replace(kernel, header=HEADER, function=FUNCTION)


KERNELS = (KernelsFor("bytes", (looked_up,)),)
