"""Drop nodes that no output needs. Postcondition: every node's output reaches a graph output."""

from __future__ import annotations

from toolchain.ir import Graph
from toolchain.ir.flow import conditions


def remove_dead_nodes(graph: Graph) -> Graph:
    """The graph without them."""
    needed = {*graph.outputs, *conditions(graph.flow)}
    kept = []
    for node in reversed(graph.nodes):
        if needed.intersection(node.outputs) or graph.changes_state(node):
            needed.update(name for name in node.inputs if name is not None)
            kept.append(node)
    return graph.with_nodes(tuple(reversed(kept)))
