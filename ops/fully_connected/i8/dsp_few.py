"""FullyConnected of int8 by dsp_few.h: a channel at a time, requantised by products of 64 bits."""

from __future__ import annotations

from functools import partial

from opsmith.op import ANY_RULE, Code, Kernel, NodeView, Plan, Refused
from opsmith.runtimes.core.dsp_requantization import DspRequantization
from opsmith.runtimes.families.matmul import MATMUL, Packed, asymmetric, row_overlap

from .params import ShiftParams


def plan(node: NodeView) -> Plan | Refused:
    """For symmetric weights."""
    if refused := asymmetric(node):
        return refused
    found = MATMUL.long_products(node)
    if isinstance(found, Refused):
        return found
    shifts = {"left_shift": found.left, "right_shift": found.right}
    params = MATMUL.params(ShiftParams, node, **shifts)
    return Plan(params, partial(tables, found), overlap=partial(row_overlap, node))


def tables(found: DspRequantization) -> Packed:
    """The weights channel by channel."""
    return Packed(found.weights, found.table)


DSP_FEW = Kernel(
    "dsp_few",
    ShiftParams,
    plan,
    Packed,
    numerics=ANY_RULE,
    requires={"dsp"},
    cost=MATMUL.cost(2.3, 24.0),
    code=Code(instance=190, general=220, slowdown=1.05),
)
KERNELS = (DSP_FEW,)
