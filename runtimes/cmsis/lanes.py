"""Kernels of two-input ops by several elements at a time, each from two elements alone."""

from opsmith.op import KernelsFor, i8, i16, u8
from runtimes.cmsis.kernel import of_reference
from runtimes.families.broadcast import row_problem

# of mve.h and dsp.h in the op's folder, for rows of bytes or of int16
LANES = tuple(
    KernelsFor(
        {"T": dtype},
        (
            of_reference("mve", 0.4 * dtype.size, row_problem),
            of_reference("dsp", 2.0 * dtype.size, row_problem),
        ),
    )
    for dtype in (i8, u8, i16)
)
