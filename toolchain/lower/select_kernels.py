"""Choose a kernel for every node: the first row of its op that fits types, features and node."""

from __future__ import annotations

from dataclasses import replace

from toolchain.ir import Graph
from toolchain.op.choice import choose
from toolchain.op.discover import OpIndex


def select_kernels(graph: Graph, ops: OpIndex, features: frozenset[str]) -> Graph:
    """The graph with a kernel for every node, and why it was not an earlier row."""
    nodes = (
        replace(node, kernel=choose(graph, node, ops[node.op], features)) for node in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes))
