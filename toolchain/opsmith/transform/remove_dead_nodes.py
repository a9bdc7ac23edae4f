"""Removal of nodes that no output needs. Postcondition: every node reaches a graph output."""

from opsmith.ir import Graph


def remove_dead_nodes(graph: Graph) -> Graph:
    """Graph without nodes that no output needs."""
    needed = graph.needed_nodes()
    return graph.with_nodes(tuple(node for node in graph.nodes if node.name in needed))
