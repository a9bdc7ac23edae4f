"""Number of multiplications in a graph."""

from opsmith.ir import Graph
from opsmith.op.index import OpIndex
from opsmith.op.node import view


def total_macs(graph: Graph, ops: OpIndex) -> int:
    """Number of multiplications with weights in all nodes whose ops count them."""
    typed = ((ops.of(graph, node), node) for node in graph.nodes)
    counted = ((op.hooks.macs, view(graph, node, op)) for op, node in typed)
    return sum(macs(node) for macs, node in counted if macs is not None)
