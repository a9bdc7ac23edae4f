"""FullyConnected of int8 by mve_single.h: as mve.h, by factors in single precision."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import blocked, filled_rows, steps
from runtimes.core.per_channel import folded_bias, singles
from runtimes.families.matmul import MATMUL, asymmetric, row_overlap

from .mve import CHANNELS, of_blocks
from .params import ClampedSizes


@dataclass(frozen=True, kw_only=True)
class MveSingleParams(ClampedSizes):
    """Sizes, bounds and zero point of y, and steps of a row."""

    tail: int  # inputs before the first whole vector, or 0: 16
    full_steps: int  # vectors of inputs after these
    output_zero_point: int


@dataclass(frozen=True)
class MveSingleTables:
    """Weights, biases and factors; zeros fill channels up to a multiple of four."""

    weights: NDArray[np.int8]  # [channels / 4][step][4][inputs]
    bias: NDArray[np.int32]  # [channels], with what the zero point of x adds
    factor: NDArray[np.int32]  # [channels]: bits of float32


def plan(node: NodeView) -> Plan | Refused:
    """Plan for symmetric weights."""
    if refused := asymmetric(node):
        return refused
    tail, full_steps = steps(node["weights"].shape[1])
    params = MATMUL.params(MveSingleParams, node, tail=tail, full_steps=full_steps)
    return Plan(params, partial(_tables, node), overlap=partial(row_overlap, node, CHANNELS))


def _tables(node: NodeView) -> MveSingleTables:
    weights = node["weights"].data
    bias = folded_bias(node, weights).astype(np.int32)
    factors = singles(node, "weights").factors.view(np.int32)
    return MveSingleTables(
        blocked(weights, weights.shape[1]),
        filled_rows(bias, CHANNELS),
        filled_rows(factors, CHANNELS),
    )


MVE_SINGLE = Kernel(
    "mve_single",
    MveSingleParams,
    plan,
    MveSingleTables,
    numerics=frozenset({Numerics.NOTEBOOK}),
    requires={"mve", "mve_float"},
    cost=of_blocks(34, 35),
    code=Code(instance=300, general=380, slowdown=1.1),
)
KERNELS = (MVE_SINGLE,)
