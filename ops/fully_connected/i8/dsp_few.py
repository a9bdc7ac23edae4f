"""FullyConnected of int8 by dsp_few.h: a channel at a time, requantised by products of 64 bits, by
double rounding, or in single precision.
"""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.matmul import MATMUL, PackedMatrix, Sizes, asymmetric, row_overlap
from runtimes.families.owning import owning, rounding, singling

from .params import ShiftParams, shifts_of


def plan(
    node: NodeView,
    params: type[ShiftParams] = ShiftParams,
    packed: Callable[[DspRequantization], PackedMatrix] | None = None,
    block: int = 1,
) -> Plan | Refused:
    """Plan for symmetric weights, which `packed` arranges by blocks of as many channels."""
    if refused := asymmetric(node):
        return refused
    found = MATMUL.long_products(node, params)
    if isinstance(found, Refused):
        return found
    made = MATMUL.params(params, node, **shifts_of(found))
    return Plan(made, partial(packed or tables, found), overlap=partial(row_overlap, node, block))


def tables(found: DspRequantization) -> PackedMatrix:
    """Weights channel by channel, and requantisation constants."""
    return PackedMatrix(found.weights, found.table)


def cost(node: NodeView) -> float:
    """Cost of words of inputs, and of those that fill none, in cycles of a Cortex-M4F."""
    p = MATMUL.params(Sizes, node)
    words, rest = divmod(p.depth, 4)
    return 30 + p.rows * (12 + p.channels * (12.0 + 10.8 * words + 7.2 * rest))


DSP_FEW = Kernel(
    "dsp_few",
    ShiftParams,
    plan,
    PackedMatrix,
    numerics=ANY_RULE,
    requires={"dsp"},
    cost=cost,
    paces={"mve": 0.75, "dual_issue": 0.9},
    code=Code(instance=190, general=380, slowdown=1.05),
)
OWN = owning(
    "fully_connected/i8", DSP_FEW, lambda node: True, lambda node: 50.0 * node["y"].elements
)
KERNELS = (
    DSP_FEW,
    OWN,
    rounding("fully_connected/i8", DSP_FEW),
    singling("fully_connected/i8", DSP_FEW),
)
