"""LeakyReLU kernels of int16 by mve.h and dsp.h."""

from opsmith.op import KernelsFor, NodeView, i16
from runtimes.cmsis.kernel import of_reference
from runtimes.cmsis.words import shift_problem

from .quantised import params


def refused(node: NodeView) -> str:
    """Reason against shifts that the DSP extension's product cannot take, or ""."""
    p = params(node)
    return shift_problem(node, p.negative_shift, p.shift)


KERNELS = (KernelsFor({"T": i16}, (of_reference("mve", 4.0), of_reference("dsp", 10.5, refused))),)
