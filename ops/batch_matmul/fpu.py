"""BatchMatMul of float32 by fpu.h: four rows by four columns at a time."""

from opsmith.op import Code, Kernel, KernelsFor, NodeView, Plan, Refused, f32
from runtimes.families.broadcast import part_distances

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


def cost(node: NodeView) -> float:
    """Cost of blocks of rows and columns, full or not, and of copies, in cycles of a Cortex-M4F."""
    p = sums(node)
    *_, rows, columns = node["y"].shape
    down, right = -(-rows // FOUR), -(-columns // FOUR)
    copied = 1.2 * p.depth * columns * (_copied(p.b_step, p.size[4], p.depth) > 0)
    blocks = 40 * down + 150 * right + down * right * (118 + 44.0 * p.depth)
    return 55 + node["y"].elements / (rows * columns) * (blocks + copied)


FPU = Kernel(
    "fpu",
    DotProducts,
    plan,
    scratch={"rows": f32, "columns": f32},
    requires={"fpu"},
    cost=cost,
    code=Code(instance=240, general=1000, slowdown=1.05),  # besides what Dense layers need, too
)
KERNELS = (KernelsFor({"A": f32, "B": f32}, (FPU,)),)
