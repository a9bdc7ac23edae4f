"""FullyConnected of int16 by mve.h, for Helium: four channels at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import blocked
from runtimes.core.channel_packing import filled_up
from runtimes.core.rescaling import WidthRequantization
from runtimes.families.matmul import MATMUL, PackedMatrix, row_overlap

from . import wrap_problem
from .params import ExactParams

VECTOR = 8  # inputs
CHANNELS = 4  # of y that the kernel computes before it writes any of them


def plan(node: NodeView) -> Plan:
    """Plan for every node."""
    found = MATMUL.int16(node)
    return Plan(
        MATMUL.params(ExactParams, node, wide=found.wide),
        partial(tables, node, found),
        overlap=partial(row_overlap, node, CHANNELS),
    )


def tables(node: NodeView, found: WidthRequantization) -> PackedMatrix:
    """Weights [channels / 4][step][4][inputs]; Exact [channels / 4][4][4] or Real [channels]."""
    weights = blocked(node["weights"].data, node["weights"].shape[1], VECTOR)
    table = filled_up(found.table, CHANNELS)
    if not found.wide:
        table = np.ascontiguousarray(table.reshape(-1, CHANNELS, 4).transpose(0, 2, 1))
    return PackedMatrix(weights, table)


MVE = Kernel(
    "mve",
    ExactParams,
    refusing(plan, wrap_problem),
    PackedMatrix,
    requires={"mve"},
    cost=MATMUL.cost_by_width((0.31, 13.0), (0.85, 100.0)),
    code=Code(instance=340, general=870),
)
KERNELS = (MVE,)
