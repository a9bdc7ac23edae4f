"""BatchMatMul of float32 by fpu.h: four rows by four columns at a time."""

from opsmith.op import Kernel, KernelsFor, NodeView, Plan, Refused, f32
from opsmith.op.cost import instructions
from opsmith.runtimes.families.broadcast import part_distances

from .operands import macs
from .sums import DotProducts, sums

FOUR = 4  # rows and columns whose products stay in registers


def plan(node: NodeView) -> Plan | Refused:
    """Plan for matrices of several rows; operands that are not contiguous are copied."""
    p = sums(node)
    if p.a_stride[4] or p.b_stride[3]:
        return Refused("a has one row, or b one column")
    return Plan(
        p,
        scratch={
            "rows": _copied(p.a_step, p.size[3], p.depth),
            "columns": _copied(p.b_step, p.size[4], p.depth),
        },
        overlap=lambda: part_distances(node, p, axes=2),
    )


def _copied(step: int, vectors: int, depth: int) -> int:
    return FOUR * depth if step != 1 or vectors < FOUR else 0


FPU = Kernel(
    "fpu",
    DotProducts,
    plan,
    scratch={"rows": f32, "columns": f32},
    requires={"fpu"},
    cost=instructions(macs, 2.5, 7.0),
)
KERNELS = (KernelsFor({"A": f32, "B": f32}, (FPU,)),)
