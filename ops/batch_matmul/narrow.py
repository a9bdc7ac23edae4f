"""BatchMatMul of int16 by dsp_narrow.h and mve_narrow.h: vectors times a block of two or four."""

from opsmith.op import *
from runtimes.families.broadcast import part_distances

from .blocks import MatrixWalk, walk
from .mve import MAX_STEP
from .operands import macs, narrow_multiplier

DSP_BLOCK = 2  # vectors of a block, and streamed vectors that it is multiplied by together
MVE_BLOCK = 4


@dataclass(frozen=True, kw_only=True)
class NarrowWalk(MatrixWalk):
    """Walk through matrices, and constants by which 64-bit sums become y."""

    multiplier: int  # Q15
    shift: int  # to the right
    activation_min: int = i16.limits[0]
    activation_max: int = i16.limits[1]


def narrow_walk(node: NodeView) -> NarrowWalk:
    """Walk of an int16 node."""
    scale, shift = narrow_multiplier(node)
    return NarrowWalk(**vars(walk(node)), multiplier=scale, shift=shift)


def _dsp_plan(node: NodeView) -> Plan:
    """Plan that copies blocks, and vectors that are not contiguous."""
    found = narrow_walk(node)
    copied = 0 if found.stream_step == 1 else DSP_BLOCK * found.depth
    return Plan(
        found,
        scratch={"columns": -(-found.depth // 2) * DSP_BLOCK, "vectors": copied},
        overlap=lambda: part_distances(node, found),
    )


def _mve_plan(node: NodeView) -> Plan | Refused:
    """Plan that copies vectors that are not contiguous, or int8."""
    found = narrow_walk(node)
    if (step := max(found.block_step, found.stream_step)) > MAX_STEP:
        return Refused(f"elements of a vector are {step} elements apart, more than {MAX_STEP}")
    in_place = found.block_step == 1 and node["a"].dtype == node["b"].dtype
    block = 0 if in_place else MVE_BLOCK * found.depth
    return Plan(
        found,
        scratch={"block": block, "vector": 0 if found.stream_step == 1 else found.depth},
        overlap=lambda: part_distances(node, found),
    )


def cost(node: NodeView) -> float:
    """Cost of copied blocks of two vectors, and of two vectors by each, in Cortex-M4F cycles."""
    p = walk(node)
    pairs = -(-p.stream_count // DSP_BLOCK) * (113 + 11.0 * -(-p.depth // 2))
    blocks = -(-p.block_count // DSP_BLOCK) * (22 + 20.0 * p.depth + pairs)
    return 40 + node["y"].elements / (p.block_count * p.stream_count) * blocks


DSP_NARROW = Kernel(
    "dsp_narrow",
    NarrowWalk,
    _dsp_plan,
    scratch={"columns": i32, "vectors": i16},
    requires={"dsp"},
    cost=cost,
)
MVE_NARROW = Kernel(
    "mve_narrow",
    NarrowWalk,
    _mve_plan,
    scratch={"block": i16, "vector": i16},
    requires={"mve"},
    cost=instructions(macs, 0.4, 36.0),
)
KERNELS = (KernelsFor({"A": i16}, (DSP_NARROW, MVE_NARROW)),)
