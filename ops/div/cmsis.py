"""Div kernels of bytes for the DSP extension."""

from opsmith.op import *
from runtimes.cmsis.kernel import of_reference

from .one_division import ONE_DIVISION
from .quantised import params


def multiplier_problem(node: NodeView) -> str:
    """Reason against quotients whose scale is too small for a multiplier, or ""."""
    return "" if params(node).multiplier else "every quotient is zero at the scale of y"


DSP = of_reference("dsp", 47.0, multiplier_problem, code=Code(instance=290, general=500))
DSP_ONE_DIVISION = replace(
    ONE_DIVISION,
    name="dsp_one_division",
    requires=frozenset({"dsp"}),
    cost=per_element(17.0),
)
KERNELS = tuple(KernelsFor({"T": dtype}, (DSP, DSP_ONE_DIVISION)) for dtype in (i8, u8))
