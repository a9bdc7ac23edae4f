"""Computation at build time of every node whose inputs are all constant.

Postcondition: no node that its op can `evaluate` has constant inputs alone, or needs none of their
elements, unless an output, or all of them together, is larger than any flash.
"""

from opsmith.ir import Graph, Node
from opsmith.op.fold import Room
from opsmith.op.index import OpIndex


def fold_constants(graph: Graph, ops: OpIndex, room: Room | None = None) -> Graph:
    """Graph with nodes replaced by the constants that they compute, within the budget `room`."""
    room = room or Room(graph)
    tensors = dict(graph.tensors)
    nodes: list[Node] = []
    for node in graph.nodes:
        constants = room.folded(Graph(graph.name, tensors, (), (), ()), node, ops)
        if constants is None:
            nodes.append(node)
        else:
            tensors |= constants
    return Graph(graph.name, tensors, (), graph.inputs, graph.outputs).with_nodes(tuple(nodes))
