"""Kernel rows of ops whose int8 elements need those of two inputs alone, several at a time."""

from __future__ import annotations

from runtimes.families.broadcast import in_rows
from toolchain.ir.types import i8
from toolchain.op.cost import per_element
from toolchain.op.legacy import Kernel


def lane_rows() -> tuple[Kernel, ...]:
    """The rows of y of a and b: `mve.h` and `dsp.h`, for rows of neighbours."""
    helium = Kernel(
        "mve.h",
        dtypes=(i8,),
        requires={"mve"},
        cost=per_element(0.4),
        when=in_rows,
    )
    dsp = Kernel(
        "dsp.h",
        dtypes=(i8,),
        requires={"dsp"},
        cost=per_element(2.0),
        when=in_rows,
    )
    return helium, dsp
