"""FullyConnected of int8 by plain_long.h: as plain.h, requantised by products of 64 bits, or by
double rounding.
"""

from dataclasses import replace
from functools import partial

from opsmith.op import NodeView, Plan, Refused
from opsmith.runtimes.families.matmul import MATMUL, asymmetric, row_overlap
from opsmith.runtimes.families.owning import owning, rounding

from .params import OwnParams, RoundedParams, ShiftParams, shifts_of
from .plain import CHANNELS, PLAIN, cost, tables

LONGER = 12.0  # cycles of a Cortex-M4F more for an output


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """Plan for symmetric weights."""
    if refused := asymmetric(node):
        return refused
    found = MATMUL.long_products(node, params)
    if isinstance(found, Refused):
        return found
    made = MATMUL.params(params, node, **shifts_of(found))
    return Plan(made, partial(tables, found), {}, partial(row_overlap, node, CHANNELS))


PLAIN_LONG = replace(
    PLAIN,
    name="plain_long",
    plan=plan,
    cost=lambda node: cost(node) + LONGER * node["y"].elements,
)
KERNELS = (
    PLAIN_LONG,
    owning("fully_connected", PLAIN_LONG, plan, OwnParams, lambda node: True),
    rounding("fully_connected/i8", PLAIN_LONG, plan, RoundedParams),
)
