"""How many multiplications a graph takes."""

from __future__ import annotations

from toolchain.ir import Graph
from toolchain.op.discover import OpIndex
from toolchain.op.node import view


def total_macs(graph: Graph, ops: OpIndex) -> int:
    """The multiplications with weights of all nodes whose ops count them."""
    counted = ((ops[node.op].macs, node) for node in graph.nodes)
    return sum(macs(view(graph, node, ops[node.op])) for macs, node in counted if macs is not None)
