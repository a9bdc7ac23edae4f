"""BatchMatMul of int8 by dsp.h: two vectors at a time by a block of four."""

from opsmith.op import *
from opsmith.runtimes.cmsis.dsp_padding import PaddedRows, whole_words
from opsmith.runtimes.families.broadcast import part_distances

from .blocks import Int8MatrixWalk, blocks
from .operands import macs

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


DSP = Kernel(
    "dsp",
    DspBlocks,
    plan,
    scratch={"columns": i32, "vectors": i8},
    requires={"dsp"},
    cost=instructions(macs, 1.3, 8.0),
    code=Code(instance=300, general=500, slowdown=1.05, shared=SHARED),
)
KERNELS = (KernelsFor({"A": i8, "Y": i8}, (DSP,)),)
