"""Removal of nodes whose output equals an earlier tensor; views of views read the first input.

Four kinds, each exact for every input:

* an op says so itself by hook `views.identity` (a cast to the same type, a border of nothing), or
  by `views.restores` that two of its nodes come back to where the first began (a cast to a wider
  type);
* nodes of trait `view`, one or several in sequence, that come back to the first shape;
* elementwise nodes, one or several in sequence, that give every element back which their
  input can hold: tried on all values within the bounds that `channel_ranges` proves. So goes a
  dequantisation that is quantised again, and a clamp of what is within its bounds;
* a view of a view has the elements of the first input in their order, and may read that instead,
  if its op says that the shapes fit.

Types and quantisation must be equal, since readers take them from the tensor.

Postcondition: no such node is left, but for those between two tensors that others see, nor one
whose output nobody reads any more.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from opsmith.ir import Graph, Node
from opsmith.ir.same import Same
from opsmith.op.channels import Ranges
from opsmith.op.index import OpIndex
from opsmith.op.node import node_problems, view
from opsmith.transform.channel_ranges import KnownRanges, channel_ranges
from opsmith.transform.element_table import applied, domain, is_function
from opsmith.transform.remove_dead_nodes import remove_dead_nodes

_LONGEST = 4  # elementwise nodes in a row that may cancel out


def remove_identities(graph: Graph, ops: OpIndex, known: KnownRanges | None = None) -> Graph:
    """Graph without identities, and with views of views reading the first input."""
    graph = _views_of_views(graph, ops)
    ranges, producers, same = channel_ranges(graph, ops, known), graph.producers(), Same(graph)
    nodes = []
    for node in graph.nodes:
        equal = _equal_tensors(graph, node, ops, ranges, producers)
        if not any(same.merge(node.outputs[0], name) for name in equal):
            nodes.append(node)
    return remove_dead_nodes(same.graph(nodes))


def _views_of_views(graph: Graph, ops: OpIndex) -> Graph:
    nodes = list(graph.nodes)
    views: dict[str | None, str] = {}  # output of a view -> its input
    for index, node in enumerate(nodes):
        if "view" not in ops[node.op].traits:
            continue
        source = views.get(node.inputs[0])
        if source is not None:
            nodes[index] = replace(node, inputs=(source, *node.inputs[1:]))
            if node_problems(graph, nodes[index], ops[node.op], node.source):
                nodes[index] = node
        read = nodes[index].inputs[0]
        views.pop(node.outputs[0], None)
        if read is not None and not graph.tensors[read].mutable:
            views[node.outputs[0]] = read
    return graph.with_nodes(tuple(nodes))


def _equal_tensors(
    graph: Graph, node: Node, ops: OpIndex, ranges: Ranges, producers: dict[str, int]
) -> Iterator[str]:
    """Yield tensors upstream that hold the same elements as the node's only output."""
    op, first = ops.of(graph, node), node.inputs[0] if node.inputs else None
    if len(node.outputs) != 1 or first is None or op.states:
        return
    types = graph.tensors[first].type, graph.tensors[node.outputs[0]].type
    if types[0] == types[1]:
        identity = op.hooks.views.identity
        if identity is not None and identity(view(graph, node, op)):
            yield first
    yield from _restored(graph, node, ops, producers)
    yield from _looked_at(graph, node, ops, producers)
    chain: list[Node] = []
    while len(chain) < _LONGEST and is_function(graph, node, ops):
        chain.insert(0, node)
        source = next(name for name in node.inputs if name is not None)
        if _gives_back(graph, chain, ops, source, ranges):
            yield source
        if source not in producers:
            return
        node = graph.nodes[producers[source]]


def _restored(graph: Graph, node: Node, ops: OpIndex, producers: dict[str, int]) -> Iterator[str]:
    """Yield the input of a preceding node of the same op whose effect the node undoes."""
    front = graph.nodes[producers[node.inputs[0]]] if node.inputs[0] in producers else node
    if front is node or front.op != node.op or front.inputs[0] is None:
        return
    op = ops.of(graph, front)
    if op.hooks.views.restores is not None and op.hooks.views.restores(view(graph, front, op)):
        yield front.inputs[0]


def _looked_at(graph: Graph, node: Node, ops: OpIndex, producers: dict[str, int]) -> Iterator[str]:
    """Yield the inputs of a chain of views that ends at a node, the nearest first."""
    while "view" in ops[node.op].traits and node.inputs[0] is not None:
        yield node.inputs[0]
        if node.inputs[0] not in producers:
            return
        node = graph.nodes[producers[node.inputs[0]]]


def _gives_back(graph: Graph, chain: list[Node], ops: OpIndex, source: str, ranges: Ranges) -> bool:
    """True if a chain of nodes maps every possible element of its first tensor to itself."""
    values = domain(graph.tensors[source])
    if values is None or graph.tensors[chain[-1].outputs[0]].dtype != graph.tensors[source].dtype:
        return False
    low, high = ranges[source].low.min(), ranges[source].high.max()
    possible = values[(values >= low) & (values <= high)]
    return np.array_equal(applied(graph, chain, ops, source, possible), possible)
