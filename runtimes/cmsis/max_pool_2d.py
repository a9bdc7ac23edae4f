"""MaxPool2D by CMSIS-NN."""

from __future__ import annotations

from runtimes.cmsis.cmsis_nn import nn_kernels
from runtimes.families.pool_windows import PoolParams, pool_params
from runtimes.families.pooling import pool_elements
from toolchain.op import NodeView, Plan, Refused, i8
from toolchain.op.cost import instructions

COSTS = {
    "mve": instructions(pool_elements, 1.5, 62.0),
    "dsp": instructions(pool_elements, 6.0, 76.0),
}


def plan(node: NodeView, core: str) -> Plan | Refused:
    """Every pool."""
    return Plan(pool_params(node))


KERNELS = nn_kernels({"T": i8}, PoolParams, plan, COSTS)
