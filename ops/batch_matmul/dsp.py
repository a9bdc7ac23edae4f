"""BatchMatMul of int8 by dsp.h: two vectors by a block of four."""

from __future__ import annotations

from toolchain.op import Kernel, NodeView, Plan, Refused, i8, i32
from toolchain.op.cost import instructions

from .blocks import Blocks, blocks
from .operands import macs

COLUMNS = 4  # vectors of a block


def plan(node: NodeView) -> Plan | Refused:
    """For shifts to the right, with a copy of a block and of vectors that are not contiguous."""
    found = blocks(node)
    if isinstance(found, Refused):
        return found
    depth = -(-found.depth // 4) * 4
    copied = 0 if found.stream_step == 1 else 2 * depth
    return Plan(found, scratch={"columns": COLUMNS // 2 * depth, "vectors": copied})


DSP = Kernel(
    "dsp",
    Blocks,
    plan,
    scratch={"columns": i32, "vectors": i8},
    requires={"dsp"},
    cost=instructions(macs, 1.3, 16.0),
)
