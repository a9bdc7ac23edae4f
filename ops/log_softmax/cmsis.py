"""LogSoftmax kernel of int8 for the DSP extension."""

from opsmith.op import *
from runtimes.cmsis.kernel import of_reference

from .op import params


def unscaled_problem(node: NodeView) -> str:
    """Reason against a node whose differences have no multiplier, or ""."""
    return "" if params(node).multiplier else "Q5.26 holds no difference of two elements"


COST = instructions(row_count, 150.0, 13.0)
DSP = of_reference("dsp", COST, unscaled_problem, code=Code(instance=900, general=1420))
KERNELS = (KernelsFor({"T": i8}, (DSP,)),)
