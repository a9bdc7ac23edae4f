"""DepthwiseConv2D of int8 by CMSIS-NN, where the user has it."""

from __future__ import annotations

from functools import partial

from runtimes.cmsis.cmsis_nn import CORES, LIBRARY, NnTables, depthwise_buffer, nn_tables
from runtimes.families.depthwise import depthwise_macs
from toolchain.op import Kernel, NodeView, Plan, i8
from toolchain.op.cost import instructions

from .params import Params, params

COSTS = {"mve": (1.58, 8.7), "dsp": (1.76, 57.0)}  # of a product and of an output


def plan(node: NodeView, core: str) -> Plan:
    """For every node."""
    return Plan(params(node), partial(nn_tables, node), {"buffer": depthwise_buffer(node, core)})


CMSIS_NN = tuple(
    Kernel(
        "cmsis_nn",
        Params,
        partial(plan, core=core),
        NnTables,
        scratch={"buffer": i8},
        requires={LIBRARY, core},
        excludes=set(CORES[: CORES.index(core)]),
        cost=instructions(depthwise_macs, *COSTS[core]),
        libraries=("cmsis-nn",),
    )
    for core in CORES
)
