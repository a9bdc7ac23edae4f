"""BatchMatMul of int8 by dsp.h: two vectors at a time by a block of four."""

from opsmith.op import *
from opsmith.runtimes.cmsis.dsp_padding import PaddedRows, whole_words
from opsmith.runtimes.families.broadcast import part_distances

from .blocks import Int8MatrixWalk, blocks, walk

COLUMNS = 4  # vectors of a block
SHARED = {
    "batch_matmul::copy_block": 436,
    "batch_matmul::put_pairs": 480,
    "batch_matmul::put_two": 690,
}


@dataclass(frozen=True, kw_only=True)
class DspBlocks(PaddedRows, Int8MatrixWalk):
    """Walk through matrices, and constants by which sums become y."""


def plan(node: NodeView) -> Plan | Refused:
    """Plan for right shifts; blocks, and vectors that are not contiguous, are copied."""
    found = blocks(node)
    if isinstance(found, Refused):
        return found
    padded = whole_words(found.depth)
    copied = 0 if found.stream_step == 1 else 2 * padded
    return Plan(
        DspBlocks(**vars(found), padded_depth=padded),
        scratch={"columns": COLUMNS // 2 * padded, "vectors": copied},
        overlap=lambda: part_distances(node, found),
    )


def cost(node: NodeView) -> float:
    """Cost of blocks that are copied, and of each two vectors by one of these, in cycles of a
    Cortex-M4F.
    """
    p = walk(node)
    words, blocks = whole_words(p.depth) // 4, -(-p.block_count // COLUMNS)
    copied = COLUMNS * (8.4 * words if p.block_step == 1 else 8.8 * p.depth)
    pairs = -(-p.stream_count // 2) * (265 + 42.0 * words)
    if p.stream_step != 1:
        pairs += p.stream_count * 8.8 * p.depth
    parts = node["y"].elements / (p.block_count * p.stream_count)
    return 60 + parts * blocks * (25 + copied + pairs)


DSP = Kernel(
    "dsp",
    DspBlocks,
    plan,
    scratch={"columns": i32, "vectors": i8},
    requires={"dsp"},
    cost=cost,
    code=Code(instance=300, general=500, slowdown=1.05, shared=SHARED),
)
KERNELS = (KernelsFor({"A": i8, "Y": i8}, (DSP,)),)
