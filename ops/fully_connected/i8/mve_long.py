"""FullyConnected of int8 by mve_long.h: as mve.h, requantised by products of 64 bits."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import blocked, steps
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.matmul import MATMUL, PackedMatrix, asymmetric, row_overlap
from runtimes.families.owning import owning

from .mve import CHANNELS, of_blocks
from .params import ShiftParams, shifts_of


@dataclass(frozen=True, kw_only=True)
class MveLongParams(ShiftParams):
    """Sizes, bounds of y, requantisation, and steps of a row."""

    tail: int  # inputs before the first whole vector, or 0: 16
    full_steps: int  # vectors of inputs after these


def plan(node: NodeView, params: type[MveLongParams] = MveLongParams) -> Plan | Refused:
    """Plan for symmetric weights, and sums with proved thresholds."""
    if refused := asymmetric(node):
        return refused
    found = MATMUL.long_products(node, params)
    if isinstance(found, Refused):
        return found
    tail, full_steps = steps(node["weights"].shape[1])
    made = MATMUL.params(
        params,
        node,
        **shifts_of(found),
        tail=tail,
        full_steps=full_steps,
    )
    overlap = partial(row_overlap, node, CHANNELS)
    return Plan(made, partial(_tables, found), overlap=overlap)


def _tables(found: DspRequantization) -> PackedMatrix:
    weights = blocked(found.weights, found.weights.shape[1])
    if found.own:
        return PackedMatrix(weights, found.table)
    multiplier, low, high = filled_up(found.table, CHANNELS).T
    by_four = np.stack([multiplier, high, ~low]).reshape(3, -1, CHANNELS).transpose(1, 0, 2)
    return PackedMatrix(weights, np.ascontiguousarray(by_four))


MVE_LONG = Kernel(
    "mve_long",
    MveLongParams,
    plan,
    PackedMatrix,
    numerics=ANY_RULE,
    requires={"mve"},
    cost=of_blocks(40, 43),
    code=Code(instance=300, general=380),
)
KERNELS = (
    MVE_LONG,
    owning("fully_connected/i8", MVE_LONG, lambda node: True),
)
