"""Usual form of a kernel's cost: cycles per multiplication and per output element.

Costs rank the kernels of one node. They are modelled cycles, fitted to layers of any size: of a
Cortex-M4F, or of the core that a kernel is for, as the Cortex-M55 for Helium. Some are executed
instructions, counted in QEMU.
"""

from collections.abc import Callable

from opsmith.op.view import NodeView


def instructions(
    macs: Callable[[NodeView], int], per_mac: float, per_output: float
) -> Callable[[NodeView], float]:
    """Cost function of nodes with output y: cycles per multiplication and per element of y."""

    def cost(node: NodeView) -> float:
        return per_mac * macs(node) + per_output * node["y"].elements

    return cost


def per_element(count: float) -> Callable[[NodeView], float]:
    """Cost function of nodes that take `count` cycles for every element of y."""
    return lambda node: count * node["y"].elements
