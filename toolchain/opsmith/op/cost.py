"""Usual form of a kernel's cost: instructions per multiplication and per output element.

Figures are executed instructions, counted in QEMU with the five models of MLPerf Tiny and fitted by
least squares; on a Cortex-M4F unless a kernel is for another core. They rank the kernels of one
node. Kernels that these models do not use were counted with models of a few suitable nodes.
Costs of most layers for Cortex-M are modelled cycles of a Cortex-M4F, fitted to layers of any size.
"""

from collections.abc import Callable

from opsmith.op.view import NodeView


def instructions(
    macs: Callable[[NodeView], int], per_mac: float, per_output: float
) -> Callable[[NodeView], float]:
    """Cost function of nodes with output y: instructions per multiplication and per element
    of y.
    """

    def cost(node: NodeView) -> float:
        return per_mac * macs(node) + per_output * node["y"].elements

    return cost


def per_element(count: float) -> Callable[[NodeView], float]:
    """Cost function of nodes that take `count` instructions for every element of y."""
    return lambda node: count * node["y"].elements
