"""Merging of consecutive permutations of axes.

Exact: nodes with the hook `permutations.order` only move elements. Let y be x with its axes in
order p, and z be y with its axes in order q: axis k of z is axis q[k] of y, which is axis p[q[k]]
of x. One node with that order therefore gives z from x. Where the order is the identity, the op's
hook `views.identity` says so, and the next step, `remove_identities`, drops the node.

Postcondition: no permutation reads the output of another, if its op can do both at once.
"""

from dataclasses import replace

from opsmith.ir import Graph, Node, Tensor
from opsmith.op.index import OpIndex
from opsmith.op.node import node_problems, view
from opsmith.transform.constants import with_constants
from opsmith.transform.remove_dead_nodes import remove_dead_nodes


def merge_permutations(graph: Graph, ops: OpIndex) -> Graph:
    """Return the graph with merged permutations reading the first input, without unread nodes."""
    permutes = [ops.of(graph, node).hooks.permutations.order is not None for node in graph.nodes]
    if not any(permutes):
        return graph
    nodes, tensors = list(graph.nodes), dict(graph.tensors)
    graph = replace(graph, tensors=tensors)
    writers: dict[str, Node] = {}  # writers of tensors that are permutations of others
    for index, node in enumerate(graph.nodes):
        if not permutes[index] or node.inputs[0] is None:
            continue
        front = writers.get(node.inputs[0])
        if front is not None:
            nodes[index] = _merged(graph, node, front, ops, tensors)
        writers[node.outputs[0]] = nodes[index]
    return remove_dead_nodes(graph.with_nodes(tuple(nodes)))


def _merged(
    graph: Graph, node: Node, front: Node, ops: OpIndex, tensors: dict[str, Tensor]
) -> Node:
    """Return a permutation that also does the preceding one, if its op can; constants that it then
    reads are added to `tensors`.
    """
    source = front.inputs[0]
    op, other = ops.of(graph, node), ops.of(graph, front)
    mine, before = op.hooks.permutations, other.hooks.permutations
    assert mine.order and mine.reorder and before.order and source is not None
    if graph.tensors[source].mutable or graph.tensors[front.outputs[0]].mutable:
        return node
    first = before.order(view(graph, front, other))
    second = mine.order(view(graph, node, op))
    changed = mine.reorder(view(graph, node, op), tuple(first[axis] for axis in second))
    moved = replace(
        node,
        inputs=(source, *node.inputs[1:]),
        remarks=(*node.remarks, f"order of {front.source} taken in"),
    )
    merged, made = with_constants(graph, moved, op, changed)
    tensors |= made
    if not node_problems(graph, merged, op, node.source):
        return merged
    for name in made:
        del tensors[name]
    return node
