"""Softmax kernels of int8 and int16 for the DSP extension and Helium."""

from opsmith.op import *
from runtimes.cmsis.kernel import of_reference

from .int16 import params

LEAST = 64  # elements that are worth twice the code
MOST_SHIFT = 14  # bits by which differences of int16 grow, and one more


def few_problem(node: NodeView) -> str:
    """Reason why too few elements repay the code for words of elements, or ""."""
    elements = node["y"].elements
    return f"{elements} elements, fewer than {LEAST}" if elements < LEAST else ""


def wide_problem(node: NodeView) -> str:
    """Reason why shifted differences exceed 32 bits, or ""."""
    shift = params(node).shift
    return f"differences are shifted by {shift} bits, more than {MOST_SHIFT}" * (shift > MOST_SHIFT)


BYTES = (
    of_reference("mve", instructions(row_count, 100.0, 4.6)),
    of_reference("dsp", instructions(row_count, 50.0, 15.0), few_problem, copies=("memset",)),
)
HALFWORDS = (
    of_reference("mve", instructions(row_count, 90.0, 13.3)),
    of_reference(
        "dsp",
        instructions(row_count, 60.0, 24.8),
        few_problem,
        wide_problem,
        code=Code(instance=400, general=640, slowdown=1.15),
    ),
)
KERNELS = (
    KernelsFor({"T": i8, "U": i8}, BYTES),
    KernelsFor({"T": i16, "U": i16}, HALFWORDS),
)
