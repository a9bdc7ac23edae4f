"""AVERAGE_POOL_2D kernels that call CMSIS-NN."""

from opsmith.op import *
from runtimes.cmsis.cmsis_nn import nn_kernels
from runtimes.families.pool_windows import PoolParams, pool_params
from runtimes.families.pooling import pool_elements

COSTS = {
    "mve": instructions(pool_elements, 1.7, 68.0),
    "dsp": instructions(pool_elements, 6.5, 76.0),
}


def plan(node: NodeView, core: str) -> Plan | Refused:
    """Plan for every pool; without Helium, arm_avgpool_s8 has scratch for a pixel's sums."""
    return Plan(pool_params(node), scratch={"buffer": 4 * node["x"].shape[3] * (core == "dsp")})


KERNELS = nn_kernels({"T": i8}, PoolParams, plan, COSTS, buffer=True)
