"""FullyConnected of float32 by fpu.h: four channels, and four rows, at a time."""

from opsmith.op import *
from runtimes.cmsis.fpu_rows import PUT_BLOCKS
from runtimes.families.matmul import MATMUL, Sizes, row_overlap

from .params import Params, Tables

ROWS = 4  # of x, and channels, whose sums are computed together


def plan(node: NodeView) -> Plan | Refused:
    """Plan for at least four output channels."""
    channels = node["y"].shape[-1]
    if channels < ROWS:
        return Refused(f"{channels} output channels, fewer than {ROWS}")
    return Plan(
        MATMUL.params(Params, node),
        partial(MATMUL.params, Tables, node),
        overlap=partial(row_overlap, node, ROWS, ROWS),
    )


def cost(node: NodeView) -> float:
    """Cost of blocks of four channels, full or not, by four rows at a time, and by single rows, in
    cycles of a Cortex-M4F.
    """
    p = MATMUL.params(Sizes, node)
    (fours, single), blocks = divmod(p.rows, ROWS), -(-p.channels // ROWS)
    of_fours = 174 + blocks * (162 + 44.7 * p.depth)
    return 10 + fours * of_fours + single * (156 + blocks * (112 + 15.2 * p.depth))


FPU = Kernel(
    "fpu",
    Params,
    plan,
    Tables,
    requires={"fpu"},
    cost=cost,
    # bounds that are doubles become floats in the general form
    code=Code(instance=100, general=240 + 158 + 2190, slowdown=1.01, shared=PUT_BLOCKS),
)
KERNELS = (FPU,)
