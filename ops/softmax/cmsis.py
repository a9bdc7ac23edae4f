"""Softmax kernels of int8 and int16 for the DSP extension and Helium."""

from opsmith.op import *
from opsmith.runtimes.cmsis.kernel import of_reference

LEAST = 64  # elements that are worth twice the code


def few_problem(node: NodeView) -> str:
    """Reason why too few elements repay the code for words of elements, or ""."""
    elements = node["y"].elements
    return f"{elements} elements, fewer than {LEAST}" if elements < LEAST else ""


BYTES = (
    of_reference("mve", instructions(row_count, 100.0, 4.6)),
    of_reference("dsp", instructions(row_count, 50.0, 15.0), few_problem, copies=("memset",)),
)
KERNELS = (
    KernelsFor({"T": i8, "U": i8}, BYTES),
    KernelsFor({"T": i16, "U": i16}, (of_reference("mve", instructions(row_count, 90.0, 13.3)),)),
)
