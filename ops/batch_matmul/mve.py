"""BatchMatMul of int8 by mve.h, for Helium: a vector at a time by a block of four."""

from opsmith.op import Kernel, KernelsFor, NodeView, Plan, Refused, i8
from runtimes.families.broadcast import part_distances

from .blocks import Int8MatrixWalk, blocks, walk

VECTORS = 4  # of a block
MAX_STEP = ((1 << 16) - 1) // 7  # from one element to the next: offsets of a gather have 16 bits


def plan(node: NodeView) -> Plan | Refused:
    """Plan for right shifts; vectors that are not contiguous are copied."""
    found = blocks(node)
    if isinstance(found, Refused):
        return found
    if (step := max(found.block_step, found.stream_step)) > MAX_STEP:
        return Refused(f"elements of a vector are {step} bytes apart, more than {MAX_STEP}")
    block, stream = (0 if step == 1 else found.depth for step in _steps(found))
    return Plan(
        found,
        scratch={"block": VECTORS * block, "vector": stream},
        overlap=lambda: part_distances(node, found),
    )


def _steps(found: Int8MatrixWalk) -> tuple[int, int]:
    return found.block_step, found.stream_step


def cost(node: NodeView) -> float:
    """Cost of blocks, of each vector by a block, and of copied vectors, in Cortex-M55 cycles."""
    p = walk(node)
    blocks, copied = -(-p.block_count // VECTORS), 9.4 * -(-p.depth // 8)
    vector = 62 + 13 * -(-p.depth // 16) + copied * (p.stream_step != 1)
    block = 50 + VECTORS * copied * (p.block_step != 1) + p.stream_count * vector
    return 47 + node["y"].elements / (p.block_count * p.stream_count) * blocks * block


MVE = Kernel(
    "mve",
    Int8MatrixWalk,
    plan,
    scratch={"block": i8, "vector": i8},
    requires={"mve"},
    cost=cost,
)
KERNELS = (KernelsFor({"A": i8, "Y": i8}, (MVE,)),)
