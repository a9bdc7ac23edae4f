"""Div of bytes by the DSP extension."""

from opsmith.op import Code, KernelsFor, NodeView, i8, u8
from opsmith.runtimes.cmsis.kernel import of_reference

from .op import params


def multiplier_problem(node: NodeView) -> str:
    """Reason why quotients are not multiplied: their scale is too small for a multiplier."""
    return "" if params(node).multiplier else "every quotient is zero at the scale of y"


DSP = of_reference("dsp", 47.0, multiplier_problem, code=Code(instance=290, general=500))
KERNELS = tuple(KernelsFor({"T": dtype}, (DSP,)) for dtype in (i8, u8))
