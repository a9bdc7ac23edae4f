"""RealMean kernels for the DSP extension."""

from opsmith.op import *
from runtimes.families.reduction import reducing


def dsp(variant: Variant) -> Kernel:
    """Kernel for the nodes that kernel `lanes` takes."""
    lanes, cost = variant.kernels[0], reducing(1.2, 30.0)
    others: dict[str, Any] = {"requires": {"dsp"}, "copies": ("memset",)}
    return Kernel("dsp", lanes.params, lanes.plan, numerics=ANY_RULE, cost=cost, **others)


KERNELS = (KernelsFor({"T": i8}, (dsp,)),)
