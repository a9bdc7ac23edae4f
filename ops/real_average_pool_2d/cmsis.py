"""RealAveragePool2D kernels for the DSP extension."""

from opsmith.op import *
from runtimes.families.pooling import pool_elements


def dsp(variant: Variant) -> Kernel:
    """Kernel for the nodes that kernel `lanes` takes."""
    lanes, cost = variant.kernels[0], instructions(pool_elements, 1.1, 12.0)
    others: dict[str, Any] = {"requires": {"dsp"}, "copies": ("memset",)}
    return Kernel("dsp", lanes.params, lanes.plan, numerics=ANY_RULE, cost=cost, **others)


KERNELS = (KernelsFor({"T": i8}, (dsp,)),)
