"""MAX_POOL_2D kernels that call CMSIS-NN."""

from opsmith.op import *
from runtimes.cmsis.cmsis_nn import nn_kernels
from runtimes.families.pool_windows import PoolParams, pool_params
from runtimes.families.pooling import pool_elements

COSTS = {
    "mve": instructions(pool_elements, 1.5, 62.0),
    "dsp": instructions(pool_elements, 6.0, 76.0),
}


def plan(node: NodeView, core: str) -> Plan | Refused:
    """Plan for every max pool."""
    return Plan(pool_params(node))


KERNELS = nn_kernels({"T": i8}, PoolParams, plan, COSTS)
