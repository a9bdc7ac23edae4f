"""Kernels of cmsis_nn.h: CMSIS-NN's sum of tensors of one shape."""

from __future__ import annotations

from runtimes.families.sums import SumPairs, sum_pairs
from toolchain.op import Kernel, NodeView, Plan, Refused
from toolchain.op.cost import per_element


def plan(node: NodeView) -> Plan | Refused:
    """Addends of one shape."""
    for name in ("a", "b"):
        if node[name].elements != node["y"].elements:
            return Refused(f"{name} {node[name].type} is broadcast to {node['y'].type}")
    return Plan(sum_pairs(node))


KERNELS = (
    Kernel(
        "cmsis_nn",
        SumPairs,
        plan,
        requires={"cmsis_nn", "mve"},
        cost=per_element(13.8),
        libraries=("cmsis-nn",),
    ),
    Kernel(
        "cmsis_nn",
        SumPairs,
        plan,
        requires={"cmsis_nn", "dsp"},
        excludes={"mve"},
        cost=per_element(81.7),
        libraries=("cmsis-nn",),
    ),
)
