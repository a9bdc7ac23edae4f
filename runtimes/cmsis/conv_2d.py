"""Conv2D by CMSIS-NN."""

from __future__ import annotations

from functools import partial

from runtimes.cmsis.cmsis_nn import (
    NnConvolution,
    NnTables,
    convolution_buffer,
    nn_convolution,
    nn_kernels,
    nn_tables,
)
from runtimes.families.convolution import filter_macs
from toolchain.op import KernelsFor, NodeView, Plan, Refused, i8
from toolchain.op.cost import instructions

COSTS = {
    "mve": instructions(filter_macs, 0.188, 15.4),
    "dsp": instructions(filter_macs, 1.67, 41.4),
}


def plan(node: NodeView, core: str) -> Plan | Refused:
    """Convolutions of one group: of more, releases differ in what they do."""
    channels, group = node["x"].shape[3], node["filter"].shape[3]
    if channels != group:
        return Refused(f"{channels // group} groups, not one")
    scratch = {"buffer": convolution_buffer(node, core)}
    return Plan(nn_convolution(node), partial(nn_tables, node), scratch)


KERNELS = (KernelsFor({"T": i8}, nn_kernels(NnConvolution, plan, COSTS, NnTables, buffer=True)),)
