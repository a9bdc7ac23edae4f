"""AveragePool2D by CMSIS-NN, where the user has it."""

from __future__ import annotations

from functools import partial

from runtimes.cmsis.cmsis_nn import CORES, LIBRARY, average_pool_buffer
from runtimes.families.pooling import PoolParams, pool_elements, pool_params
from toolchain.op import Kernel, NodeView, Plan, i8
from toolchain.op.cost import instructions

COSTS = {"mve": (1.7, 68.0), "dsp": (6.5, 76.0)}  # of an element and of an output


def plan(node: NodeView, core: str) -> Plan:
    """For every node."""
    return Plan(pool_params(node), scratch={"buffer": average_pool_buffer(node, core)})


CMSIS_NN = tuple(
    Kernel(
        "cmsis_nn",
        PoolParams,
        partial(plan, core=core),
        scratch={"buffer": i8},
        requires={LIBRARY, core},
        excludes=set(CORES[: CORES.index(core)]),
        cost=instructions(pool_elements, *COSTS[core]),
        libraries=("cmsis-nn",),
    )
    for core in CORES
)
