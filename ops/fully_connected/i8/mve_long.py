"""FullyConnected of int8 by mve_long.h: as mve.h, requantised by products of 64 bits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from opsmith.op import ANY_RULE, Code, Kernel, NodeView, Plan, Refused
from opsmith.runtimes.cmsis.mve_packing import blocked, steps
from opsmith.runtimes.core.dsp_requantization import DspRequantization
from opsmith.runtimes.families.matmul import MATMUL, Packed, asymmetric, row_overlap

from .mve import CHANNELS
from .params import ShiftParams


@dataclass(frozen=True, kw_only=True)
class MveLongParams(ShiftParams):
    """The sizes, the bounds of y, how sums are requantised, and the steps of a row."""

    tail: int  # inputs before the first whole vector, or 0: 16
    full_steps: int  # vectors of inputs after these


def plan(node: NodeView) -> Plan | Refused:
    """For symmetric weights, and sums that thresholds prove."""
    if refused := asymmetric(node):
        return refused
    found = MATMUL.long_products(node)
    if isinstance(found, Refused):
        return found
    tail, full_steps = steps(node["weights"].shape[1])
    params = MATMUL.params(
        MveLongParams,
        node,
        left_shift=found.left,
        right_shift=found.right,
        tail=tail,
        full_steps=full_steps,
    )
    overlap = partial(row_overlap, node, CHANNELS)
    return Plan(params, partial(_tables, found), overlap=overlap)


def _tables(found: DspRequantization) -> Packed:
    return Packed(blocked(found.weights, found.weights.shape[1]), found.table)


MVE_LONG = Kernel(
    "mve_long",
    MveLongParams,
    plan,
    Packed,
    numerics=ANY_RULE,
    requires={"mve"},
    cost=MATMUL.cost(0.13, 18.0),
    code=Code(instance=300, general=380),
)
KERNELS = (MVE_LONG,)
