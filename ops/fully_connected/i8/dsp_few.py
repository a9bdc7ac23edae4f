"""FullyConnected of int8 by dsp_few.h: a channel at a time, requantised by products of 64 bits."""

from functools import partial

from opsmith.op import ANY_RULE, Code, Kernel, NodeView, Plan, Refused
from opsmith.runtimes.core.dsp_requantization import DspRequantization
from opsmith.runtimes.families.matmul import MATMUL, PackedMatrix, asymmetric, row_overlap
from opsmith.runtimes.families.owning import owning

from .params import OwnParams, ShiftParams, shifts_of


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """Plan for symmetric weights."""
    if refused := asymmetric(node):
        return refused
    found = MATMUL.long_products(node, params)
    if isinstance(found, Refused):
        return found
    made = MATMUL.params(params, node, **shifts_of(found))
    return Plan(made, partial(tables, found), overlap=partial(row_overlap, node))


def tables(found: DspRequantization) -> PackedMatrix:
    """Weights channel by channel, and requantisation constants."""
    return PackedMatrix(found.weights, found.table)


DSP_FEW = Kernel(
    "dsp_few",
    ShiftParams,
    plan,
    PackedMatrix,
    numerics=ANY_RULE,
    requires={"dsp"},
    cost=MATMUL.cost(2.3, 24.0),
    code=Code(instance=190, general=220, slowdown=1.05),
)
KERNELS = (DSP_FEW, owning("fully_connected", DSP_FEW, plan, OwnParams, lambda node: True))
