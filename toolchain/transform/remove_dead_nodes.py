"""Drop nodes that no output needs. Postcondition: every node's output reaches a graph output."""

from __future__ import annotations

from toolchain.ir import Graph


def remove_dead_nodes(graph: Graph) -> Graph:
    """The graph without them."""
    needed = set(graph.outputs)
    kept = []
    for node in reversed(graph.nodes):
        writes_state = any(name and graph.tensors[name].variable for name in node.inputs)
        if needed.intersection(node.outputs) or writes_state:
            needed.update(name for name in node.inputs if name is not None)
            kept.append(node)
    return graph.with_nodes(tuple(reversed(kept)))
