"""MaxPool2D by CMSIS-NN, where the user has it."""

from __future__ import annotations

from runtimes.cmsis.cmsis_nn import CORES, LIBRARY
from runtimes.families.pooling import PoolParams, pool_elements, pool_params
from toolchain.op import Kernel, every_node
from toolchain.op.cost import instructions

COSTS = {"mve": (1.5, 62.0), "dsp": (6.0, 76.0)}  # of an element and of an output

CMSIS_NN = tuple(
    Kernel(
        "cmsis_nn",
        PoolParams,
        every_node(pool_params),
        requires={LIBRARY, core},
        excludes=set(CORES[: CORES.index(core)]),
        cost=instructions(pool_elements, *COSTS[core]),
        libraries=("cmsis-nn",),
    )
    for core in CORES
)
