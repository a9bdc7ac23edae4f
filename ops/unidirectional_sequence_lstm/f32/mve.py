"""LSTM of float32 by mve.h, for Helium: four rows, and functions of four cells, at a time."""

from opsmith.op import *
from opsmith.op import f32 as float32
from runtimes.cmsis.mve_real_rows import LANES, refused_weights
from runtimes.core.matrix_dot import SMALL

from ..cell import GATES, macs
from . import Params, Tables, constants, params


@dataclass(frozen=True)
class MveTables:
    """Weights of all gates in blocks of four rows, and biases."""

    weights: NDArray[np.float32]  # [cells][depth][4], in the order of lane_blocks()
    recurrent: NDArray[np.float32]  # [cells][cells][4]
    bias: NDArray[np.float32]  # [4][cells]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for sums in the order of a matrix by a vector."""
    p, tables = params(node), constants(node)
    together = p.batches if p.time_major else 1
    sizes = (together + p.cells + depth for depth in (p.depth, p.cells))
    if p.cells == 1 or (together > 1 and max(sizes) >= SMALL):
        return Refused("LiteRT adds up the sums as those of two vectors, or of two matrices")
    refused = refused_weights(tables.weights) or refused_weights(tables.recurrent)
    return refused or Plan(p, partial(_tables, node), {"gates": len(GATES) * p.cells})


def _tables(node: NodeView) -> MveTables:
    found: Tables = constants(node)
    return MveTables(lane_blocks(found.weights), lane_blocks(found.recurrent), found.bias)


def lane_blocks(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weights [4][cells][inputs] in blocks of four rows: fours of inputs of each row together, then
    each input that is left of all rows.
    """
    inputs = weights.shape[2]
    rows = weights.reshape(-1, LANES, inputs)
    whole = inputs // LANES * LANES
    fours = rows[..., :whole].reshape(len(rows), LANES, -1, LANES).swapaxes(1, 2)
    rest = rows[..., whole:].swapaxes(1, 2)
    parts = (part.reshape(len(rows), -1) for part in (fours, rest))
    return np.ascontiguousarray(np.concatenate([*parts], axis=1).reshape(-1, inputs, LANES))


MVE = Kernel(
    "mve",
    Params,
    plan,
    MveTables,
    scratch={"gates": float32},
    requires={"mve", "mve_float"},
    cost=instructions(macs, 1.0, 280.0),
)
KERNELS = (MVE,)
