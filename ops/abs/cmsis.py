"""Abs kernels of int16 by mve.h and dsp.h."""

from opsmith.op import KernelsFor, NodeView, i16
from runtimes.cmsis.kernel import of_reference
from runtimes.cmsis.words import shift_problem
from runtimes.families.unary import Rescaling


def refused(node: NodeView) -> str:
    """Reason against a shift that the DSP extension's product cannot take, or ""."""
    return shift_problem(node, Rescaling.of(node).shift)


KERNELS = (KernelsFor({"T": i16}, (of_reference("mve", 2.6), of_reference("dsp", 11.0, refused))),)
