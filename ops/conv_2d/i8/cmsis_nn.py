"""Conv2D of int8 by CMSIS-NN, where the user has it."""

from __future__ import annotations

from functools import partial

from runtimes.cmsis.cmsis_nn import CORES, LIBRARY, NnTables, convolution_buffer, nn_tables
from runtimes.families.convolution import filter_macs, groups
from toolchain.op import Kernel, NodeView, Plan, Refused, i8
from toolchain.op.cost import instructions

from .params import Params, params

COSTS = {"mve": (0.188, 15.4), "dsp": (1.67, 41.4)}  # of a product and of an output


def plan(node: NodeView, core: str) -> Plan | Refused:
    """For one group: of more, releases of the library differ in what they do."""
    if groups(node) != 1:
        return Refused(f"{groups(node)} groups, not one")
    buffer = {"buffer": convolution_buffer(node, core)}
    return Plan(params(node), partial(nn_tables, node), buffer)


CMSIS_NN = tuple(
    Kernel(
        "cmsis_nn",
        Params,
        partial(plan, core=core),
        NnTables,
        scratch={"buffer": i8},
        requires={LIBRARY, core},
        excludes=set(CORES[: CORES.index(core)]),
        cost=instructions(filter_macs, *COSTS[core]),
        libraries=("cmsis-nn",),
    )
    for core in CORES
)
