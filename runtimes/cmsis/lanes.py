"""Kernels of ops whose elements depend on those of two inputs alone, several at a time."""

from __future__ import annotations

from opsmith.ir import DType
from opsmith.op import Kernel, every_node, refusing
from opsmith.op.cost import per_element
from opsmith.runtimes.families.broadcast import Pairs, pairs, row_problem


def lane_kernels(dtype: DType) -> tuple[Kernel, ...]:
    """The kernels of mve.h and dsp.h in the op's folder, for rows of bytes or of int16."""
    plan = refusing(every_node(pairs), row_problem)
    return (
        Kernel("mve", Pairs, plan, requires={"mve"}, cost=per_element(0.4 * dtype.size)),
        Kernel("dsp", Pairs, plan, requires={"dsp"}, cost=per_element(2.0 * dtype.size)),
    )
