"""Usual form of a kernel's cost: instructions for each multiplication and for each output.

Figures are executed instructions, counted in QEMU with the five models of MLPerf Tiny and fitted by
least squares; on a Cortex-M4F unless it is for another core. They rank the kernels of one node.
Kernels that these models do not have were counted with models of some such nodes.
"""

from collections.abc import Callable

from opsmith.op.view import NodeView


def instructions(
    macs: Callable[[NodeView], int], per_mac: float, per_output: float
) -> Callable[[NodeView], float]:
    """The cost of nodes whose output is y: by multiplications with weights and by elements of y."""

    def cost(node: NodeView) -> float:
        return per_mac * macs(node) + per_output * node["y"].elements

    return cost


def per_element(count: float) -> Callable[[NodeView], float]:
    """The cost of nodes that take as many instructions for every element of y."""
    return lambda node: count * node["y"].elements
