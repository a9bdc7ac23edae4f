"""Kernels of float32 by fpu_root.h, for cores with an FPU of single precision or more."""

from __future__ import annotations

from opsmith.op import Kernel, every_node
from opsmith.op.cost import per_element
from opsmith.op.overlap import elementwise
from opsmith.runtimes.families.params import Elements, by_name


def by_fpu(cost: float) -> Kernel:
    """The op's fpu.h, which is exact."""
    plan = every_node(by_name(Elements), overlap=elementwise)
    return Kernel("fpu", Elements, plan, requires={"fpu"}, cost=per_element(cost))
