"""Choose a kernel for every node: the first row of its op that fits types, features and node."""

from __future__ import annotations

from dataclasses import replace

from toolchain.ir import Graph
from toolchain.op.choice import choose
from toolchain.op.discover import OpIndex

# The remark on a node whose op is scaffolded and not written yet; reports look for it.
PLACEHOLDER = "PLACEHOLDER: this op is not written yet, its outputs mean nothing"


def select_kernels(graph: Graph, ops: OpIndex, features: frozenset[str]) -> Graph:
    """The graph with a kernel for every node, and why it was not an earlier row."""
    nodes = []
    for node in graph.nodes:
        op = ops[node.op]
        remarks = (PLACEHOLDER, *node.remarks) if "placeholder" in op.traits else node.remarks
        nodes.append(replace(node, kernel=choose(graph, node, op, features), remarks=remarks))
    return replace(graph, nodes=tuple(nodes))
