"""BatchMatMul of int8 by dsp.h: two vectors at a time by a block of four."""

from opsmith.op import *
from runtimes.cmsis.dsp_padding import PaddedRows, whole_words
from runtimes.core.double_rounding import LARGEST_LEFT
from runtimes.families.broadcast import part_distances
from runtimes.families.owning import by_function_of

from .blocks import (
    LARGEST_SUM,
    MORE_THAN_30_BITS,
    Int8MatrixWalk,
    ZeroPointWalk,
    blocks,
    walk,
    zero_point_walk,
)
from .operands import factor, int8_bound, multiplier

COLUMNS = 4  # vectors of a block
SHARED = {
    "batch_matmul::copy_block": 436,
    "batch_matmul::put_pairs": 480,
    "batch_matmul::put_two": 690,
}


@dataclass(frozen=True, kw_only=True)
class DspBlocks(PaddedRows, Int8MatrixWalk):
    """Walk through matrices, and constants by which sums become y."""


@dataclass(frozen=True, kw_only=True)
class OwnBlocks(PaddedRows, ZeroPointWalk):
    """Walk through matrices, and constants of sums that round once."""

    multiplier: int  # Q31
    own: int  # shift to the left


@dataclass(frozen=True, kw_only=True)
class SingleBlocks(PaddedRows, ZeroPointWalk):
    """Walk through matrices, and the factor of sums that an FPU rounds."""

    factor: float  # float32
    single: bool = True


def plan(node: NodeView) -> Plan | Refused:
    """Plan for right shifts; blocks, and vectors that are not contiguous, are copied."""
    found = blocks(node)
    return found if isinstance(found, Refused) else _planned(node, DspBlocks, **vars(found))


def own_plan(node: NodeView) -> Plan | Refused:
    """Plan for multipliers of 1/2 or more."""
    scale, left = multiplier(node)
    if left < 0:
        return Refused("a.scale * b.scale / y.scale is below 1/2")
    if int8_bound(node) >= LARGEST_SUM:
        return MORE_THAN_30_BITS
    if int8_bound(node) << left >= 1 << 31:
        return Refused("sums shifted to the left may take more than 32 bits, which wraps")
    more = {"multiplier": scale, "own": min(left, LARGEST_LEFT)}
    return _planned(node, OwnBlocks, **vars(zero_point_walk(node)), **more)


def single_plan(node: NodeView) -> Plan:
    """Plan for sums that are rounded in single precision."""
    return _planned(node, SingleBlocks, **vars(zero_point_walk(node)), factor=factor(node))


def _planned(node: NodeView, params: type[Any], **given: Any) -> Plan:
    padded = whole_words(given["depth"])
    copied = 0 if given["stream_step"] == 1 else 2 * padded
    made = params(**given, padded_depth=padded)
    return Plan(
        made,
        scratch={"columns": COLUMNS // 2 * padded, "vectors": copied},
        overlap=lambda: part_distances(node, made),
    )


def cost(node: NodeView) -> float:
    """Cost of copied blocks, and of two vectors by each, in cycles of a Cortex-M4F."""
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
    copies=("memset",),  # of sums, at opt=size
    cost=cost,
    code=Code(instance=300, general=500 + 1606, slowdown=1.05, shared=SHARED),
)
OWN = replace(DSP, name="dsp_own", params=OwnBlocks, plan=own_plan)
SINGLE = replace(
    DSP,
    name="dsp_single",
    params=SingleBlocks,
    plan=single_plan,
    numerics=OTHER_RULES,
    requires={"dsp", "fpu"},
)
OTHERS = tuple(by_function_of("batch_matmul", DSP, each) for each in (OWN, SINGLE))
KERNELS = (KernelsFor({"A": i8, "Y": i8}, (DSP, *OTHERS)),)
